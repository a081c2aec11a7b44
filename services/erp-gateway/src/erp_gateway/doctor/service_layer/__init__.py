"""In: an inspection of the Service Layer, and the registry of resources.
Out: what stands between the two, by reads alone, in one session.
"""
