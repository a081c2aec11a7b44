"""Read from the ERP the choices of a form: warehouses, series and valid values."""
