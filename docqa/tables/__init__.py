"""Questions that a table answers: counting by SQL over the rows of a CSV, look-ups in the tables of any document."""
