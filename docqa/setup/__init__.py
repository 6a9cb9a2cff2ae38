"""The packages and how they get here, a bundle for a machine without a network, and what this machine lacks."""
