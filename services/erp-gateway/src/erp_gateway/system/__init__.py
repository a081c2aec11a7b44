"""In: an administrator's question how the service is, or what of a request reaches it.
Out: what its parts know of themselves at this moment, and the request as it came; no value of anybody's data.
"""
