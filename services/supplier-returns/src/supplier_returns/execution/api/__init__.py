"""The routes that execute, reprocess and close a planning, and the events that tell of the progress.

In: HTTP requests. Out: the planning's detail, at once or as the last event of a stream.
"""
