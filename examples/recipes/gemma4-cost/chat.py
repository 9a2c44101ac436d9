"""The chat turns of Gemma 4, and which of their tokens count in the loss. Needs no packages."""


def user_turn(prompt):
    """Returns the text after which Gemma 4 answers."""
    return f"<bos><|turn>user\n{prompt}<turn|>\n<|turn>model\n"


def model_turn(response):
    """Returns the text that Gemma 4 learns to write."""
    return f"{response}<turn|>"


def pad_and_mask(prompt, response, length, pad):
    """Joins the tokens of a prompt and its response, and pads or cuts them to `length`.

    Returns the tokens, and a mask with 1 for each token of the response and 0 for the others.
    """
    tokens = (prompt + response)[:length]
    padding = length - len(tokens)
    answered = max(len(tokens) - len(prompt), 0)
    mask = [0] * (len(tokens) - answered) + [1] * answered
    return tokens + [pad] * padding, mask + [0] * padding
