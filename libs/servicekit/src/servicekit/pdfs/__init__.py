"""Joins and checks PDFs in separate processes, because they are untrusted input for a parser.

Input: PDFs as bytes. Output: one PDF, or the number of the invalid part; whether a PDF is blank.
"""
