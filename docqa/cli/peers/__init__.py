"""Other programs that find passages, measured beside this one: the same documents, questions, embedder and machine."""
