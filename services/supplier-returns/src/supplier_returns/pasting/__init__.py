"""Parse pasted spreadsheet text into requested lines, with a note for each unusable cell. Pure code."""
