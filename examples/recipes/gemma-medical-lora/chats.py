"""Formats questions as the turns of a chat with Gemma."""

SYSTEM = "You are a helpful medical assistant. Answer the patient's question clearly and safely."
END = "<end_of_turn>"


def prompt(question):
    """Returns the turn of a patient, and the start of the model's turn."""
    return f"<start_of_turn>user\n{SYSTEM}\n\n{question}{END}\n<start_of_turn>model\n"


def response(answer):
    """Returns the rest of the model's turn."""
    return answer + END


def text(generated):
    """Returns the answer in what the model generated, which may end with the end of its turn."""
    return generated.split(END)[0].strip()


def pairs(chats):
    """Returns the chats, maps with `question` and `answer`, as the inputs of the model's preprocessor."""
    return {
        "prompts": [prompt(chat["question"]) for chat in chats],
        "responses": [response(chat["answer"]) for chat in chats],
    }
