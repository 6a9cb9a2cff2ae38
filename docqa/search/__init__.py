"""From an understood question to ranked passages."""
