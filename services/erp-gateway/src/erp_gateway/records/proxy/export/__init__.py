"""Write whole lists into files."""
