"""DocQA: a self-hosted document question-answering service in one process tree and one SQLite file."""

__version__ = "0.1.0"
