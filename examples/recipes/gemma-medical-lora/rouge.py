"""ROUGE-L: how much of the words and their order an answer shares with a reference."""

import re


def words(text):
    """Returns the words as ROUGE counts them: runs of ASCII letters and digits, in lower case."""
    return re.findall(r"[a-z0-9]+", text.lower())


def longest_common_subsequence(first, second):
    """Returns the length of the longest list of words that both contain in this order."""
    lengths = [0] * (len(second) + 1)  # of the words of `first` so far with each start of `second`
    for word in first:
        diagonal = 0
        for index, other in enumerate(second, start=1):
            above = lengths[index]
            lengths[index] = diagonal + 1 if word == other else max(above, lengths[index - 1])
            diagonal = above
    return lengths[-1]


def rouge_l(reference, answer):
    """Returns the F1 score, from 0 to 1, without stemming."""
    expected, actual = words(reference), words(answer)
    common = longest_common_subsequence(expected, actual)
    return 2 * common / (len(expected) + len(actual)) if common else 0.0


def mean_rouge_l(references, answers):
    """Returns the mean of the scores of all answers."""
    scores = [rouge_l(reference, answer) for reference, answer in zip(references, answers, strict=True)]
    return sum(scores) / len(scores)
