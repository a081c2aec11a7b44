"""Encode and decode messages of HANA's SQL protocol, without sockets or tables."""
