"""The simulated company and its ERP users."""

COMPANY = "SBO_DEMO"
ERP_USER = "manager"
ERP_PASSWORD = "erpsim"
WAREHOUSE_USER = "bodega"
"""A normal ERP user: may run the stored queries that planning needs, and change no metadata."""
