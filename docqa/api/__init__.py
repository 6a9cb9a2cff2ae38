"""HTTP in, HTTP out. Nothing here knows how an answer is found."""
