"""In: HTTP requests that execute, reprocess and close a planning.
Out: the planning's detail, at once or as the last event of a stream.
"""
