"""`python -m docqa.training`: what trains and evaluates the parts that are shipped. For those who work on DocQA."""

import os
import sys

from docqa.errors import DocqaError
from docqa.models.sentence_folder import INSTALLED_BY
from docqa.settings import Settings
from docqa.training.command import parser

TRAINERS = ("torch", "safetensors")  # packages that are installed on request


def main(words: list[str]) -> int:
    """Run one command; the exit code."""
    arguments = parser().parse_args(words)
    try:
        return int(arguments.run(Settings.read(os.environ), arguments))
    except DocqaError as error:
        print(f"docqa: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if error.name not in TRAINERS:
            raise
        print(f"docqa: this needs {error.name}, which {INSTALLED_BY} installs", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
