"""Registered read-only queries on the ERP's database."""
