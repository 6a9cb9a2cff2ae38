"""Training of the reader and the verifier: question sets, generated questions, distillation, and evaluation figures."""
