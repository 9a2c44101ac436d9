"""Asks a larger model over an API that is compatible with OpenAI's."""

import concurrent.futures

from web import ApiError, request_json


def answer(question, api_url, model, key):
    """Returns the model's answer to one question."""
    url = f"{api_url}/chat/completions"
    messages = [{"role": "user", "content": question}]
    body = {"model": model, "messages": messages, "temperature": 0, "max_tokens": 16}
    response = request_json(url, body, key)
    try:
        return response["choices"][0]["message"]["content"] or ""
    except (KeyError, IndexError, TypeError):
        raise ApiError(f"{url}: the response for {model} has no answer: {str(response)[:200]}") from None


def answers(questions, api_url, model, key):
    """Returns the answers to all questions, four at a time."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda question: answer(question, api_url, model, key), questions))
