"""Text files and CSV, in whatever encoding."""
