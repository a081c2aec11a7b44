"""In: a planning whose returns exist, and a signed-in user.
Out: one PDF of their tax documents, fetched from the provider and joined; whole, or not at all.
"""
