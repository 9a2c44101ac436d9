"""Reads the chats and the questions: from files, or at the published size from Hugging Face."""

import json
import pathlib
import random
import urllib.parse

from choices import LETTERS
from web import ApiError, request_json

FOLDER = pathlib.Path(__file__).parent
ROWS_API = "https://datasets-server.huggingface.co/rows"


def is_chat(row):
    return isinstance(row, dict) and all(isinstance(row.get(key), str) for key in ("question", "answer"))


def is_question(row):
    if not is_chat(row) or row["answer"] not in tuple(LETTERS):
        return False
    return isinstance(row.get("options"), list) and len(row["options"]) == len(LETTERS)


def read_lines(path, is_valid, expected):
    """Returns the rows of a JSON Lines file. An error names the line."""
    rows = []
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise ValueError(f"{path.name}:{number}: not JSON: {error}") from None
            if not is_valid(row):
                raise ValueError(f"{path.name}:{number}: expected {expected}")
            rows.append(row)
    return rows


def local_chats():
    return read_lines(FOLDER / "medical.jsonl", is_chat, "a map with the texts `question` and `answer`")


def local_questions():
    return read_lines(FOLDER / "mcq.jsonl", is_question, "a map with `question`, four `options`, and `answer`, A to D")


def sample_rows(dataset, split, count, page, seed, api=ROWS_API):
    """Returns `count` rows of a dataset on Hugging Face, `page` in a row from places that depend on `seed`."""

    def fetch(offset, length):
        query = {"dataset": dataset, "config": "default", "split": split, "offset": offset, "length": length}
        url = f"{api}?{urllib.parse.urlencode(query)}"
        response = request_json(url)
        try:
            return response["num_rows_total"], [row["row"] for row in response["rows"]]
        except (KeyError, TypeError):
            raise ApiError(f"{url}: the response has no rows: {str(response)[:200]}") from None

    total, _ = fetch(0, 1)
    pages = random.Random(seed).sample(range(total // page), count // page)
    return [row for number in pages for row in fetch(number * page, page)[1]]


def published_chats(seed, api=ROWS_API):
    """Returns 2,000 questions of patients with the answers of doctors, from ChatDoctor."""
    rows = sample_rows("LinhDuong/chatdoctor-200k", "train", 2000, 100, seed, api)
    return [{"question": row["input"], "answer": row["output"]} for row in rows]


def published_questions(seed, api=ROWS_API):
    """Returns 100 multiple-choice questions of MedMCQA."""
    rows = sample_rows("openlifescienceai/medmcqa", "validation", 100, 10, seed, api)
    return [
        {
            "question": row["question"],
            "options": [row[name] for name in ("opa", "opb", "opc", "opd")],
            "answer": LETTERS[row["cop"]],
        }
        for row in rows
    ]


def tiny():
    """Returns 16 chats to train on, 4 to validate on, and 8 questions."""
    chats = local_chats()
    return chats[:-4], chats[-4:], local_questions()


def published(seed):
    """Returns 1,800 chats to train on, 200 to validate on, and 100 questions."""
    chats = published_chats(seed)
    return chats[:-200], chats[-200:], published_questions(seed)
