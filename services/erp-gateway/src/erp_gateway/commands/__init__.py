"""In: a command line, beside a running service.
Out: permissions, backups and audit records as the store has them; an exit code.
"""
