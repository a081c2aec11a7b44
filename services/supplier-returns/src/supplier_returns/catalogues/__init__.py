"""What forms offer to choose from: warehouses, series, valid values."""
