"""What differs by language, as data."""
