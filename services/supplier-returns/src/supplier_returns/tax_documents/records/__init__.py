"""In: the signed-in user's ERP session.
Out: how the provider is reached, and the folios that the returns have by now.
"""
