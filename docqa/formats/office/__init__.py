"""Word-processor documents (.docx, .odt, .doc), and what they share with presentations: packages, drawings, formulas.

`flow` is what the three readers write to: paragraphs, items and rows become pages.
"""
