"""In: the settings, a person's ERP user and password, and a command line.
Out: the ERP's answers to what planning and executing returns counts on.
"""
