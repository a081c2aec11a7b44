"""Write rows as CSV or XLSX files, within limits of speed and disk."""
