"""In: HTTP requests with their cookies and origins, and the ERP's failures as errors.
Out: the session that an endpoint asks for, the web application's files, one answer for each kind of failure.
"""
