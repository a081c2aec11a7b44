"""In: an ERP user's name and password, or a session's cookie.
Out: a session with an ERP session of its own; a brake on whoever guesses.
"""
