"""Questions that tables on the pages of a document answer: a row, a column, and what is computed from their cells."""
