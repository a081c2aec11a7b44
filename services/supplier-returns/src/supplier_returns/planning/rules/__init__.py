"""Pure rules that allocate receipts, form documents and change plannings."""
