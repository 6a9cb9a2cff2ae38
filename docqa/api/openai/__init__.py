"""OpenAI's shape of a chat: what is sent, what is answered, how errors are written, how models are named."""
