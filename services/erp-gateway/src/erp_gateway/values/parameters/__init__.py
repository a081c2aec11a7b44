"""Declare the parameters of reports and queries, and validate the values that clients send."""
