"""In: the ground of a company.
Out: the answers to the questions that both services rely on.
"""
