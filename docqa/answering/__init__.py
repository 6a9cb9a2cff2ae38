"""From evidence to a checked answer with its sources."""
