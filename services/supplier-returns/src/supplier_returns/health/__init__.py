"""In: the question whether the process lives.
Out: that it does.
"""
