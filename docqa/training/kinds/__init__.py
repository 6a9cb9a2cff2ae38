"""How the kind of a question is learnt: from questions of our own, by one layer on their embeddings."""
