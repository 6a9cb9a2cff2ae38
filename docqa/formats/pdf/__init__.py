"""PDF pages: text in reading order, tables, running headers, scans."""
