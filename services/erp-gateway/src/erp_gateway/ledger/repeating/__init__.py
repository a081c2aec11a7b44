"""In: requests with an idempotency key.
Out: one write for all that are the same, and its answer for each of them.
"""
