"""Read-only checks of an installation for `erp-gateway doctor`."""
