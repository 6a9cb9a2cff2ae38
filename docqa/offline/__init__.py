"""How it is proven that nothing leaves the machine."""
