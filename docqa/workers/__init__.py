"""Child processes: spawning, framing, turns, and the loop inside them."""
