"""Join the tax documents of a planning's returns into one PDF."""
