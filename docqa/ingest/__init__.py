"""A file or link becomes a document: stored, searchable, summarised."""
