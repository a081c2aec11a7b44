"""Errors, metrics, settings and requests that both services share about the ERP; uses `erpclient`."""
