"""Which models there are, how they get here, and what answers for a model name."""
