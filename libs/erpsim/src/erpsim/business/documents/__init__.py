"""In: what a sender gives of an order, a delivery, a receipt or an invoice.
Out: the document with its lines, amounts and numbers, stored and booked.
"""
