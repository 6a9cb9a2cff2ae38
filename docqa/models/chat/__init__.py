"""Chat models: llama.cpp in a child process, and providers over HTTP."""
