"""A store made by an older commit's own code, brought to today's form, and refused by that commit then."""
