"""Several writes that the ERP does all or not at all, as one request."""
