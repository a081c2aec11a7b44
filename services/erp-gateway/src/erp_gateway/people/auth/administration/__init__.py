"""Let administrators list people, end sessions and lift login blocks."""
