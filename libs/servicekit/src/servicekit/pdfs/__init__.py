"""PDFs as things to be joined and looked at, in processes of their own: they are foreign text for a parser.

In: PDFs as bytes. Out: one PDF, or the number of the part that is none; whether one is blank.
"""
