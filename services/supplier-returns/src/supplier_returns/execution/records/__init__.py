"""In: keys and bodies.
Out: what the ERP has under a key, and what it made of a post.
"""
