"""Training of the reader: question generation, question variants, the teacher, losses, tuning, and the whole run."""
