"""Child processes: spawning, framing, whose turn it is, and the loop inside them."""
