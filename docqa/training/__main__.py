"""`python -m docqa.training`: what trains and evaluates the parts that are shipped. For those who work on DocQA."""

import os
import sys

from docqa.errors import DocqaError
from docqa.settings import Settings
from docqa.training.command import parser


def main(words: list[str]) -> int:
    """Run one command; the exit code."""
    arguments = parser().parse_args(words)
    try:
        return int(arguments.run(Settings.read(os.environ), arguments))
    except DocqaError as error:
        print(f"docqa: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
