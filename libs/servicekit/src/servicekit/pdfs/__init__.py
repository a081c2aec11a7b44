"""PDFs as things to be joined: by a process of its own, since they are foreign text for a parser.

In: PDFs as bytes. Out: one PDF, or the number of the part that is none.
"""
