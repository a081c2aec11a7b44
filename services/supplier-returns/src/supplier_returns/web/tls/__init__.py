"""In: where certificate and key are, and that they were renewed.
Out: what HTTPS is served with, or the setting at fault. `files` alone does without cryptography.
"""
