"""Training the verifier: an adapter on a small language model."""
