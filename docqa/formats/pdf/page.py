"""Rows in reading order → a page's text: paragraphs, tables, headings, edge lines; hyphenated words are rejoined."""
