"""Accounts of business partners: open invoices by age."""
