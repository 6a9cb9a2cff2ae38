"""PowerPoint, as .pptx and as the older binary .ppt."""
