"""Export PDF and HTML reports."""
