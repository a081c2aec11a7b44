"""Pure rules that allocate receipts, build documents and change plannings."""
