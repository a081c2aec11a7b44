"""In: the declared parameters of a report or a query, and what a person sent for them.
Out: their values by name, each of its type and within its bounds; or every problem with its place.
"""
