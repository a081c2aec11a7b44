"""Test assumptions of our code about the ERP, and compare its replies with the expected ones."""
