"""In: a session with the ERP.
Out: what was seen of it as shapes and words, without any value of the company's, for a simulator to imitate.
"""
