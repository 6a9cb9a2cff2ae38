"""What runs weights, here or remotely. Nothing here knows a document or a prompt."""
