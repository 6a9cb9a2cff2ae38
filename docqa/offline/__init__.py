"""The proof that nothing leaves the machine."""
