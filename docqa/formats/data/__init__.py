"""Files of data (JSON, XML): each value with its name, under the names of what it belongs to."""
