"""Stored queries (`SQLQueries`): the analyser that reads and rewrites a text on save, rights, and running it.

Source unless told otherwise: SAP manual 1.29, chapter 4 on SQL queries.
"""
