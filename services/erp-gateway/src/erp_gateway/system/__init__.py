"""In: an administrator's question how the service is.
Out: what its parts know of themselves at this moment; no value of anybody's data.
"""
