"""In: a Service Layer, and what a service relies on of it.
Out: checks of the login, of what the metadata says, of what may be read and how.
"""
