"""Questions in everyday words, read by a trained model beside the table laid out as text."""
