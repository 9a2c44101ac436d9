"""Asks multiple-choice questions and scores the answers."""

import re

LETTERS = "ABCD"


def ask(question):
    """Returns the text of a question, a map with `question` and four `options`."""
    options = [f"{letter}. {option}" for letter, option in zip(LETTERS, question["options"])]
    return "\n".join([question["question"], *options, "Answer with one letter: A, B, C or D."])


def chosen_letter(answer):
    """Returns the first letter that stands alone in an answer, or None."""
    found = re.search(r"\b[ABCD]\b", answer)
    return found and found[0]


def score(questions, answers):
    """Returns how many answers choose the right letter."""
    return sum(chosen_letter(answer) == question["answer"] for question, answer in zip(questions, answers, strict=True))
