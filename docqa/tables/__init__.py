"""Questions that a table answers: look-ups and counting, by SQL over the rows."""
