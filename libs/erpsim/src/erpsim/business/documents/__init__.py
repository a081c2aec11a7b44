"""Create orders, deliveries, receipts and invoices with their lines, amounts, numbers and bookings."""
