"""Imported by every Python that is started with this folder first on PYTHONPATH: the watch begins before any other code runs."""

from docqa.offline.watch import watch

watch()
