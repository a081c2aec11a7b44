"""Plan returns from requested lines, stock and open receipts, and keep the plannings in the ERP."""
