#!/usr/bin/env python3
"""Tests the recipe gemma-medical-lora.   medical_lora_test.py KINETIC EXAMPLES PACKAGE [CLASS...]

Tiny downloads the packages of the recipe. The other classes need none.
"""

import contextlib
import http.server
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

from examples_test import ExamplesCase

KINETIC, PACKAGE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[3])
RECIPE = pathlib.Path(sys.argv[2]).resolve() / "recipes/gemma-medical-lora"
# The decorator writes these keys to the record, with the values that they have without a key.
SPELLED_OUT = {"bundle.root", "dependencies.file", "python"}
KEY = "sk-correct-horse"
# References, answers, and the scores of rouge-score 0.1.2: RougeScorer(["rougeL"]).score(…)["rougeL"].fmeasure
ROUGE_L = (
    ("The cat sat on the mat.", "the cat is on the mat", 5 / 6),
    ("Rest, drink fluids, and see a doctor.", "See a doctor; drink fluids.", 0.5),
    ("Take 2 tablets, twice-daily", "take two tablets twice daily (2)", 8 / 11),
    ("police killed the gunman", "the gunman police killed", 0.5),
    ("naïve café", "naive cafe", 0),
    ("one two three", "four five", 0),
    ("", "word", 0),
    ("word", "", 0),
    ("a b c d e f g", "g f e d c b a", 1 / 7),
    ("Same text here", "same TEXT, here!", 1),
)
sys.path.insert(0, str(RECIPE))
sys.dont_write_bytecode = True

import chats
import choices
import data
import larger_model
import rouge
import standin
import web


class Text(unittest.TestCase):
    def test_chat_has_the_turns_of_gemma(self):
        chat = {"question": "Is it a cold?", "answer": "Most likely."}
        pairs = chats.pairs([chat])
        self.assertEqual(pairs["prompts"], [
            "<start_of_turn>user\nYou are a helpful medical assistant. Answer the patient's question clearly and "
            "safely.\n\nIs it a cold?<end_of_turn>\n<start_of_turn>model\n"])
        self.assertEqual(pairs["responses"], ["Most likely.<end_of_turn>"])
        self.assertEqual(chats.text(" Most likely.\n<end_of_turn>\n<start_of_turn>user"), "Most likely.")
        self.assertEqual(chats.text("It is"), "It is")

    def test_question_lists_its_options(self):
        question = {"question": "Which organ?", "options": ["Liver", "Spleen", "Kidney", "Lung"], "answer": "B"}
        self.assertEqual(choices.ask(question), "Which organ?\nA. Liver\nB. Spleen\nC. Kidney\nD. Lung\n"
                         "Answer with one letter: A, B, C or D.")

    def test_first_letter_alone_is_the_choice(self):
        for answer, letter in {"B": "B", "**C**. It is": "C", "The answer is D.": "D", "A) or B": "A", "b": None,
                               "BAD": None, "": None, "E": None}.items():
            self.assertEqual(choices.chosen_letter(answer), letter, answer)
        questions = [{"answer": letter} for letter in "ABCD"]
        self.assertEqual(choices.score(questions, ["A", "It is B.", "no", "C"]), 2)
        with self.assertRaises(ValueError):
            choices.score(questions, ["A"])


class RougeL(unittest.TestCase):
    def test_known_values(self):
        for reference, answer, expected in ROUGE_L:
            self.assertAlmostEqual(rouge.rouge_l(reference, answer), expected, places=12, msg=answer)

    def test_longest_common_subsequence_equals_definition(self):
        def defined(first, second):
            if not first or not second:
                return 0
            if first[0] == second[0]:
                return 1 + defined(first[1:], second[1:])
            return max(defined(first[1:], second), defined(first, second[1:]))

        for first, second in (("", "a"), ("abcbdab", "bdcaba"), ("aaab", "baaa"), ("abc", "abc"), ("abc", "xyz")):
            self.assertEqual(rouge.longest_common_subsequence(first, second), defined(first, second))

    def test_mean(self):
        self.assertEqual(rouge.mean_rouge_l(["one two", "three"], ["one two", "four"]), 0.5)


class Lines(unittest.TestCase):
    def read(self, content, is_valid=data.is_chat):
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "chats.jsonl"
        path.write_bytes(content)
        return data.read_lines(path, is_valid, "a chat")

    def test_files_of_the_recipe(self):
        self.assertEqual((len(data.local_chats()), len(data.local_questions())), (20, 8))

    def test_bad_line_is_named(self):
        good = json.dumps({"question": "q", "answer": "a\u2028b"}, ensure_ascii=False).encode() + b"\n"
        self.assertEqual(len(self.read(good * 3)), 3)
        for bad in (b'{"question": "q"', b"", b"\xff"):
            with self.assertRaisesRegex(ValueError, r"^chats\.jsonl:3: not JSON: "):
                self.read(good * 2 + bad + b"\n" + good)
        for bad in (b"[]", b'{"question": "q"}', b'{"question": "q", "answer": 1}'):
            with self.assertRaisesRegex(ValueError, r"^chats\.jsonl:2: expected a chat$"):
                self.read(good + bad + b"\n")

    def test_question_has_four_options_and_a_letter(self):
        question = {"question": "q", "options": ["1", "2", "3", "4"], "answer": "D"}
        self.assertTrue(data.is_question(question))
        for change in ({"options": ["1", "2", "3"]}, {"answer": "E"}, {"answer": "AB"}, {"answer": ""}):
            self.assertFalse(data.is_question({**question, **change}), change)


@contextlib.contextmanager
def serve(*responses):
    """Starts a server with these responses: (code, content, headers). Yields its URL and the requests that it got."""
    requests, remaining = [], list(responses)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            requests.append((self.path, self.headers.get("Authorization"), json.loads(content) if content else None))
            code, body, headers = remaining.pop(0) if remaining else (500, "unexpected request", {})
            if code == 0:
                return self.close_connection  # without a response
            self.send_response(code)
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
            for name, value in {"Content-Length": len(body), **headers}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        server.shutdown()
        server.server_close()


def reply(content):
    return 200, {"choices": [{"message": {"content": content}}]}, {}


class LargerModel(unittest.TestCase):
    def setUp(self):
        self.waits = []
        self.enterContext(mock.patch.object(web.time, "sleep", self.waits.append))
        self.printed = self.enterContext(contextlib.redirect_stdout(io.StringIO()))

    def ask(self, *responses):
        """Returns the answer or the error, and the requests."""
        with serve(*responses) as (url, requests):
            try:
                found = larger_model.answer("Which organ?", url, "large", KEY)
            except web.ApiError as error:
                found = str(error)
        self.assertNotIn(KEY, found + self.printed.getvalue())
        return found, requests

    def test_request_and_answer(self):
        found, requests = self.ask(reply("B"))
        self.assertEqual(found, "B")
        self.assertEqual(requests, [("/v1/chat/completions", f"Bearer {KEY}", {
            "model": "large", "temperature": 0, "max_tokens": 16,
            "messages": [{"role": "user", "content": "Which organ?"}]})])

    def test_refused_key_is_an_error_without_the_key(self):
        found, requests = self.ask((401, {"error": {"message": f"no such key: {KEY}"}}, {}))
        self.assertRegex(found, r'^POST http://\S+/v1/chat/completions: 401 Unauthorized: .*"no such key: \*\*\*"')
        self.assertEqual((len(requests), self.waits), (1, []))

    def test_reached_limit_waits_as_long_as_the_server_asks(self):
        found, requests = self.ask((429, {}, {"Retry-After": "7"}), (429, {}, {}), reply("C"))
        self.assertEqual((found, len(requests), self.waits), ("C", 3, [7, 2]))
        self.assertRegex(self.printed.getvalue(), r"429 Too Many Requests: \{\}; repeating the request in 7 s")

    def test_retry_after_may_be_a_date(self):
        date = web.email.utils.formatdate(time.time() + 30, usegmt=True)
        self.ask((503, {}, {"Retry-After": date}), (503, {}, {"Retry-After": "soon"}), reply("C"))
        self.assertTrue(25 < self.waits[0] <= 30, self.waits)
        self.assertEqual(self.waits[1:], [2])

    def test_attempts_are_bounded(self):
        found, requests = self.ask(*[(500, b"<html>broken</html>", {})] * 9)
        self.assertEqual((len(requests), self.waits), (5, [1, 2, 4, 8]))
        self.assertIn("500 Internal Server Error: <html>broken</html>", found)

    def test_long_wait_is_an_error(self):
        found, requests = self.ask((429, {"error": "daily limit"}, {"Retry-After": "86400"}))
        self.assertEqual((len(requests), self.waits), (1, []))
        self.assertIn("daily limit", found)

    def test_lost_connection_is_repeated(self):
        found, requests = self.ask((0, None, None), reply("A"))
        self.assertEqual((found, len(requests), self.waits), ("A", 2, [1]))

    def test_incomplete_response_is_repeated(self):
        incomplete = {"Content-Length": 1000, "Connection": "close"}
        found, requests = self.ask((500, b"bro", incomplete), (200, b"{", incomplete), reply("A"))
        self.assertEqual((found, len(requests), self.waits), ("A", 3, [1, 2]))

    def test_server_that_is_not_there(self):
        with self.assertRaisesRegex(web.ApiError, "Connection refused"):
            larger_model.answer("?", "http://127.0.0.1:9", "large", KEY)
        self.assertEqual(self.waits, [1, 2, 4, 8])

    def test_other_responses_are_errors(self):
        self.assertIn("the response is not JSON: <html>", self.ask((200, b"<html>login</html>", {}))[0])
        self.assertIn("has no answer: {'error': 'overloaded'}", self.ask((200, {"error": "overloaded"}, {}))[0])
        self.assertIn("has no answer: []", self.ask((200, [], {}))[0])
        self.assertEqual(self.ask(reply(None))[0], "")

    def test_key_with_line_break_is_not_in_the_error(self):
        for key in (KEY + "\n", KEY + "é"):
            with self.assertRaises(web.ApiError) as caught:
                larger_model.answer("?", "http://127.0.0.1:9", "large", key)
            self.assertNotIn(KEY, str(caught.exception))

    def test_key_is_not_sent_to_another_server(self):
        with serve(reply("A")) as (other, requests_of_other):
            _, requests = self.ask((302, {}, {"Location": other}))
            self.assertEqual([len(requests), len(requests_of_other)], [1, 1])
            self.assertIsNone(requests_of_other[0][1])

    def test_answers_have_the_order_of_the_questions(self):
        replies = {f"question {number}": f"answer {number}" for number in range(30)}
        with standin.larger_model(replies) as url:
            found = larger_model.answers(list(replies), url, "large", standin.KEY)
            with self.assertRaisesRegex(web.ApiError, "401 Unauthorized"):
                larger_model.answers(list(replies), url, "large", KEY)
        self.assertEqual(found, list(replies.values()))


class Published(unittest.TestCase):
    """The datasets of the published size, from a server with the form of Hugging Face's."""

    def rows(self, total, make):
        """Patches the requests: a dataset of `total` rows. Returns the list of requested ranges."""
        ranges = []

        def request_json(url):
            query = dict(urllib.parse.parse_qsl(url.partition("?")[2]))
            offset, length = int(query["offset"]), int(query["length"])
            ranges.append((query["dataset"], query["split"], offset, length))
            self.assertLessEqual(length, 100)  # the limit of the API
            self.assertLessEqual(offset + length, total)
            numbers = range(offset, offset + length)
            return {"num_rows_total": total, "rows": [{"row_idx": n, "row": make(n)} for n in numbers]}

        self.enterContext(mock.patch.object(data, "request_json", request_json))
        return ranges

    def test_chats(self):
        ranges = self.rows(207_408, lambda n: {"instruction": "", "input": f"q{n}", "output": f"a{n}"})
        found = data.published_chats(seed=0)
        self.assertEqual(len({chat["question"] for chat in found}), 2000)
        self.assertTrue(all(chat["question"][1:] == chat["answer"][1:] for chat in found))
        self.assertEqual(len(ranges), 21)
        self.assertEqual(data.published_chats(seed=0), found)
        self.assertNotEqual(data.published_chats(seed=1), found)

    def test_questions(self):
        self.rows(4183, lambda n: {"question": f"q{n}", "opa": "a", "opb": "b", "opc": "c", "opd": "d", "cop": n % 4})
        found = data.published_questions(seed=0)
        self.assertEqual(len({question["question"] for question in found}), 100)
        for question in found:
            self.assertEqual(question["answer"], "ABCD"[int(question["question"][1:]) % 4])
            self.assertTrue(data.is_question(question))

    def test_response_without_rows_is_an_error(self):
        with serve((200, {"error": "the dataset does not exist"}, {})) as (url, _):
            with self.assertRaisesRegex(web.ApiError, "has no rows: .*the dataset does not exist"):
                data.published_chats(0, url)


class RecipeCase(ExamplesCase):
    def setUp(self):
        self.recipe = pathlib.Path(self.home.name) / "gemma-medical-lora"
        shutil.rmtree(self.recipe, ignore_errors=True)
        shutil.copytree(RECIPE, self.recipe, ignore=shutil.ignore_patterns("__pycache__"))

    def job_file(self, *options, expect=0):
        return self.kinetic("run", str(self.recipe / "job.yaml"), *options, expect=expect)

    def script(self, *arguments, expect=0):
        environment = {**self.environment, "PYTHONPATH": PACKAGE,
                       "KINETIC_RUNNER": os.path.join(os.path.dirname(KINETIC), "kinetic-runner")}
        done = subprocess.run([sys.executable, str(self.recipe / "finetune.py"), *arguments], env=environment,
                              cwd=self.home.name, capture_output=True, text=True, timeout=900, check=False)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def check_last_two_jobs_are_equal(self):
        now, before = (job["id"] for job in json.loads(self.kinetic("ps", "--all", "--json").stdout)[:2])
        found = json.loads(self.kinetic("diff", before, now, "--json").stdout)
        self.assertLessEqual({key["name"] for key in found["job"]}, SPELLED_OUT, found["job"])
        for part in ("arguments", "code", "packages", "variables", "secrets", "data"):
            self.assertEqual(found[part], [], part)


class WithoutPackages(RecipeCase):
    def setUp(self):
        super().setUp()
        (self.recipe / "requirements.txt").write_text("")

    def test_script_and_job_file_submit_the_same_job(self):
        error = "ModuleNotFoundError: No module named 'jax'"
        done = self.job_file("--arg", "tiny=true", expect=1)
        self.assertIn(error, done.stderr)
        self.assertIn("429 Too Many Requests", done.stderr)  # of the server in the place of the larger model
        self.assertIn(error, self.script("--tiny", expect=1).stderr)
        self.check_last_two_jobs_are_equal()

    def test_published_size_needs_secrets_and_cluster(self):
        secrets = ("--secret", "HF_TOKEN", "--secret", "OPENROUTER_API_KEY", "--dry-run")
        done = self.job_file(*secrets, expect=2)
        self.assertIn("not set in the environment: HF_TOKEN", done.stderr)
        done = self.job_file("--accelerator", "v5litepod-8", *secrets, expect=2)
        self.assertIn("the local target has no v5litepod-8", done.stderr)
        self.assertIn("the local target has no v5litepod-8", self.script(expect=1).stderr)

    def test_published_size_without_secrets_names_both_ways(self):
        done = self.job_file(expect=1)
        self.assertIn("RuntimeError: this size needs the secrets OPENROUTER_API_KEY and HF_TOKEN", done.stderr)
        self.assertIn("--secret OPENROUTER_API_KEY --secret HF_TOKEN", done.stderr)
        self.assertIn("--arg tiny=true", done.stderr)

    def ask_server(self, *responses):
        """Runs the tiny size with the key as a secret. Returns the standard error stream and the requests."""
        self.environment["OPENROUTER_API_KEY"] = KEY
        self.addCleanup(self.environment.pop, "OPENROUTER_API_KEY")
        with serve(*responses) as (url, requests):
            done = self.job_file("--arg", "tiny=true", "--arg", f"api_url={url}", "--secret", "OPENROUTER_API_KEY",
                                 expect=1)
        for path in pathlib.Path(self.home.name).rglob("*"):
            self.assertFalse(path.is_file() and KEY.encode() in path.read_bytes(), path)
        return done.stderr, requests

    def test_larger_model_gets_the_key_of_the_secret(self):
        error, requests = self.ask_server(*[reply("A")] * 8)
        self.assertIn("No module named 'jax'", error)  # the next step
        self.assertEqual([key for _, key, _ in requests], [f"Bearer {KEY}"] * 8)
        asked = [body["messages"][0]["content"] for _, _, body in requests]
        self.assertEqual(sorted(asked), sorted(map(choices.ask, data.local_questions())))

    def test_refused_key_ends_the_job(self):
        error, _ = self.ask_server(*[(401, {"error": {"message": f"invalid key {KEY}"}}, {})] * 8)
        self.assertRegex(error, r"web\.ApiError: POST http://\S+: 401 Unauthorized: .*invalid key \*\*\*")
        self.assertNotIn(KEY, error)

    def test_bad_line_is_named(self):
        path = self.recipe / "medical.jsonl"
        lines = path.read_text().splitlines()
        path.write_text("\n".join([*lines[:2], lines[2][:-1], *lines[3:]]))
        done = self.job_file("--arg", "tiny=true", expect=1)
        self.assertIn("ValueError: medical.jsonl:3: not JSON: ", done.stderr)


class Tiny(RecipeCase):
    def test_script_and_job_file_return_the_same_value(self):
        first = self.job_file("--arg", "tiny=true", "--json")
        answer = json.loads(first.stdout)
        self.check_value(answer["value"])
        folder = pathlib.Path(self.kinetic("outputs", answer["id"]).stdout.strip())
        self.assertGreater((folder / "adapter.lora.h5").stat().st_size, 4 * answer["value"]["trainable_parameters"])

        done = self.script("--tiny")
        self.check_last_two_jobs_are_equal()
        value = json.loads(done.stdout[done.stdout.index("\n{\n"):])
        for name in set(value) - {"train_seconds", "tokens_per_second"}:
            self.assertEqual(value[name], answer["value"][name], name)

    def check_value(self, value):
        self.assertEqual((value["model"], value["devices"], value["chips"]), ("tiny", ["cpu"], 1))
        # Of 4 layers: query (4 heads) and value (1 head) of width 16, each with two matrices of rank 16.
        self.assertEqual(value["trainable_parameters"], 4 * (4 * 64 * 16 + 16 * 16 + 64 * 16 + 16 * 16))
        for name in ("loss", "validation_loss"):
            self.assertEqual(value[name], sorted(value[name], reverse=True))
            self.assertEqual(len(set(value[name])), 3)
        padded, unpadded = value["tokens_per_second"]["with_padding"], value["tokens_per_second"]["without_padding"]
        self.assertTrue(0 < unpadded < padded, value["tokens_per_second"])
        self.assertEqual((value["larger_model"], value["score"]["larger_model"]), ("stand-in", 6))
        self.assertEqual(value["questions"], 8)
        for name in ("before", "after"):
            self.assertIn(value["score"][name], range(9))
        self.assertTrue(0 <= value["rouge_l"] < 1)
        self.assertEqual([set(each) for each in value["answers"]], [{"question", "doctor", "before", "after"}] * 3)
        self.assertTrue(any(each["before"] != each["after"] for each in value["answers"]), value["answers"])

    def test_batches_are_split_among_chips(self):
        done = self.job_file("--arg", "tiny=true", "--env", "XLA_FLAGS=--xla_force_host_platform_device_count=8")
        value = json.loads(done.stdout)
        self.assertEqual((value["devices"], value["chips"]), (["cpu"] * 8, 4))
        self.assertIn("on 4 of 8 cpu", done.stderr)
        self.assertIn("4/4 - ", done.stderr)  # 16 chats in batches of 4
        self.assertEqual(value["loss"], sorted(value["loss"], reverse=True))

    def test_packages_resolve_for_tpu(self):
        uv = shutil.which("uv")
        if uv is None:
            self.skipTest("uv is not in PATH")
        pinned = (self.recipe / "requirements.txt").read_text()
        done = subprocess.run(
            [uv, "pip", "compile", "-", "--python-version", "3.12", "--python-platform", "x86_64-manylinux_2_31",
             "--only-binary", ":all:", "--no-header", "--no-annotate", "--quiet"], cwd=self.recipe,
            env=self.environment, input=pinned.replace("\njax==", "\njax[tpu]=="), capture_output=True, text=True,
            check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        resolved = {line.replace("[tpu]", "").partition("==")[0] for line in done.stdout.split()}
        self.assertEqual(resolved - set(re.findall(r"^[a-z0-9-]+(?===)", pinned, re.MULTILINE)), {"libtpu"})

    def test_killed_program_resumes_after_its_last_epoch(self):
        expected = json.loads(self.job_file("--arg", "tiny=true").stdout)
        # The first attempt waits after the first epoch, so that it can be killed there.
        program = (self.recipe / "lora.py").read_text()
        end_of_epoch = "        incomplete.unlink()\n"
        self.assertEqual(program.count(end_of_epoch), 1)
        wait = "        while epoch == 0:\n            time.sleep(0.1)\n"
        (self.recipe / "lora.py").write_text(program.replace(end_of_epoch, end_of_epoch + wait))
        finetune = (self.recipe / "finetune.py").read_text()
        (self.recipe / "finetune.py").write_text(finetune + '\n\nprint(f"process {os.getpid()}")\n')
        retry = 'retry={attempts: 2, on: ["exit:137"]}'
        self.job_file("--arg", "tiny=true", "--set", retry, "--id", "killed", "--detach")
        checkpoints = pathlib.Path(self.home.name) / ".local/share/kinetic/store/checkpoints/killed"
        deadline = time.monotonic() + 600
        while not (checkpoints.exists() and any(checkpoints.iterdir())):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.2)
        process = re.search(r"^process (\d+)$", self.kinetic("logs", "killed").stdout, re.MULTILINE)[1]
        os.kill(int(process), signal.SIGKILL)

        self.kinetic("wait", "killed")
        log = self.kinetic("logs", "killed", "--stream", "stdout").stdout
        self.assertIn("resuming after epoch 1\n", log)
        self.assertEqual((log.count("Epoch 1/3"), log.count("Epoch 2/3")), (1, 1), log)
        value = json.loads(self.kinetic("result", "killed").stdout)
        for name in set(value) - {"train_seconds", "tokens_per_second"}:
            self.assertEqual(value[name], expected[name], name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
