"""In: HTTP requests with their tokens, and the ERP's failures as errors.
Out: the session and the right that an endpoint asks for; one answer for each kind of failure.
"""
