"""erp_gateway."""
