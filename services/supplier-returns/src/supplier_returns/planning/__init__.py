"""From a pasted spreadsheet to one return document per supplier."""
