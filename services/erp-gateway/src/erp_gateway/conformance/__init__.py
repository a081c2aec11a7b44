"""In: the session of a suite of questions.
Out: the ERP's answers to what the gateway alone counts on.
"""
