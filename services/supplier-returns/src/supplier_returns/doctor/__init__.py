"""Read-only checks of an installation and its ERP for `supplier-returns doctor`."""
