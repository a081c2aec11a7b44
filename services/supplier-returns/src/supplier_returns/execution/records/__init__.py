"""The ERP's return documents, their drafts and the keys that fence them.

In: keys and bodies. Out: what the ERP has, and what it made of a post.
"""
