"""The Model Context Protocol: the documents as tools for assistants, over HTTP at /mcp and over stdin and stdout.

The tools are a skin over the HTTP API, wherever they run: in the server they ask the application beside them, in
`python run.py mcp` a server by its address. The SDK is imported by `protocol` alone, which nothing imports before the
protocol is first spoken.
"""
