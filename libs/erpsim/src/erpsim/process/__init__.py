"""In: command line, environment and file of `erpsim serve`.
Out: settings all checked, open ports, a certificate.
"""
