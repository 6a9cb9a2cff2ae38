"""Imported by every Python that has this folder on PYTHONPATH, before any other code runs: starts the watch."""

from docqa.offline.watch import watch

watch()
