"""Pictures and scanned pages: decoded safely, turned upright, read by text recognition."""
