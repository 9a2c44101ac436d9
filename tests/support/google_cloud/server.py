"""Runs the stand-in as a program: python3 -m google_cloud.server --documents DIR

It prints its URL on one line. Each option of options.py is an option here.
"""

import argparse
import dataclasses
import json
import pathlib

from .http_server import GoogleCloud
from .options import Options


def _options(words):
    """Returns the options of a command line: --NAME VALUE, where VALUE may be JSON."""
    parser = argparse.ArgumentParser(prog="google_cloud.server")
    parser.add_argument("--options", help="file with options as JSON")
    for field in dataclasses.fields(Options):
        parser.add_argument("--" + field.name.replace("_", "-"), dest=field.name)
    given = {name: value for name, value in vars(parser.parse_args(words)).items()
             if value is not None}
    options = Options()
    if file := given.pop("options", None):
        options.change(json.loads(pathlib.Path(file).read_text()))
    for name, text in given.items():
        is_text = isinstance(getattr(options, name), (str, type(None)))
        options.change({name: text if is_text and name != "zones" else json.loads(text)})
    return options


def main(words=None):
    cloud = GoogleCloud(_options(words)).start()
    print(cloud.url, flush=True)
    try:
        cloud.stopped.wait()
    except KeyboardInterrupt:
        cloud.stop()


if __name__ == "__main__":
    main()
