"""Training of the verifier: excerpts, packed batches, a LoRA adapter for a small language model, and the whole run."""
