"""In: the target and cookies of a raw request; a finished answer, or a fault.
Out: path and session; the bytes on the connection, pings and HTML pages of the Apache in front.
"""
