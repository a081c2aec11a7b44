"""Heads of documents and payments, shared by flow, accounts and home."""
