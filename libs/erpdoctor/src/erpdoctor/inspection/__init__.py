"""In: where a Service Layer is and who may look at it.
Out: its answers as they came, by reads alone, in one session of its own that is opened once.
"""
