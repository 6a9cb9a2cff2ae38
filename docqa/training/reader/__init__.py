"""Training the reader: question sets, a teacher, the course, and what it is tested on."""
