"""The guides: Markdown that reads alike here, on a forge and at `/help`. Tests run what they tell people to type."""
