"""In: what makes a PDF, for whom, and the right that it takes.
Out: 202 with a job that goes on beside the request; its progress, and its file for a while.
"""
