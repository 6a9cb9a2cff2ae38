"""DocQA: a self-hosted document question-answering service in one process tree and one SQLite file."""

from pathlib import Path

__version__ = "0.1.0"

ROOT = Path(__file__).resolve().parent.parent  # the checkout: run.py, models/, data/
