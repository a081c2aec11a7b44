"""Read the choices of forms from the ERP: warehouses, series and valid values."""
