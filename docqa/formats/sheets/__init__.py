"""Spreadsheets: a page a sheet, its tables told apart, values as they are shown."""
