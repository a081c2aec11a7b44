"""In: the multipart text of a `$batch`.
Out: the same of its answers; a change set is done whole or not at all.
"""
