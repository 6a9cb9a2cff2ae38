"""What a person types: installation, the commands, the server."""
