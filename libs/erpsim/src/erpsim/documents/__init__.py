"""Marketing documents: orders, deliveries, receipts, invoices and their kin."""
