"""In: the bytes of a connection, or values for it.
Out: messages, parts and typed columns of HANA's SQL protocol, or their bytes; no socket, no table.
"""
