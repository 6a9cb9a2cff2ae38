"""Starts DocQA, after installing what it needs into .venv at the first start.

python run.py                 install if need be, then serve
python run.py add DIR         add documents; ask "QUESTION", chat, search, ls, show, rm, kb, watch work with them
python run.py status          what runs and what can be used; log shows what the server has said
python run.py key --help      API keys
python run.py models --help   list, pull, add, remove and check models; ocr --help languages of text recognition
python run.py eval FILE...    how well questions about your own documents are answered
python run.py mcp             speak MCP over stdin and stdout, for an assistant; --bundle FILE.mcpb installs it there
python run.py doctor          what machine and data lack; --repair mends the data, --offline proves that nothing leaves
python run.py backup FILE     everything that is stored as one file; restore FILE puts it back
python run.py export KB FILE  a knowledge base with its documents as one file; import FILE adds it
python run.py install         install again what failed or is missing, and fetch the models
python run.py bundle DIR      gather all that a machine without a network needs into one folder
python run.py test            install the test tools too, then run the tests; further words go to pytest
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - an older Python is to be told, and must be able to read this file
    sys.exit("DocQA needs Python 3.11 or newer; this is Python %d.%d." % sys.version_info[:2])  # noqa: UP031

from docqa.cli.start import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], __doc__))
