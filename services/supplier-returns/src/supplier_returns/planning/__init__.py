"""Plan returns from requested lines, stock and open receipts, and store the plannings in the ERP."""
