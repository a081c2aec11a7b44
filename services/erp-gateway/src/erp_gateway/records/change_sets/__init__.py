"""Change sets: several writes in one request, of which the ERP does all or none."""
