"""Web pages and EPUB books."""
