"""In: a rendered document, and which engine prints it, how many at a time and for how long.
Out: its PDF, or a typed refusal; no process, no folder and no file of it is left behind.
"""
