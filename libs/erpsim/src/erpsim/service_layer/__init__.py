"""In: an HTTP request to `/b1s/v1` or `/b1s/v2`.
Out: the answer of a Service Layer over a session of its own, faults included.
"""
