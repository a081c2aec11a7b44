"""In: which menu routes a web user is given, and the route that a request needs.
Out: whether it may pass, and the change kept with its audit record; the last administrator stays.
"""
