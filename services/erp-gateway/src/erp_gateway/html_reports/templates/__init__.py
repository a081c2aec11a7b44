"""In: a report's folder and the name of its template, and the names that its data function returns.
Out: the HTML, everything escaped, or what is wrong, with file and line. `template` alone loads Mako.
"""
