"""In: a web user's name and password, or a session's token.
Out: a web session, checked against the ERP's employees; a brake on whoever guesses.
"""
