"""Words, sentences, numbers, dates and the language of a text."""
