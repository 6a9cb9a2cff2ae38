"""Training of the reader: question sets, questions that a model adds to them, a larger encoder that teaches, the figures that come out."""
