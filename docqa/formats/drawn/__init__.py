"""Pages as pictures, with passages marked."""
