"""The page for people: files that the server hands out as they are, without a build step."""
