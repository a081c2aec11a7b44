"""Render registered HTML reports and print them as PDF."""
