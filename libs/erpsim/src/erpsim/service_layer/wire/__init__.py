"""In: values of the company, and refusals.
Out: JSON and XML as either generation writes them, digit for digit.
"""
