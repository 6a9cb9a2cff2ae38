"""Which models there are, how they are fetched, and what answers for a model name."""
