"""In: what a person asks to send back, and the ERP's stock and open receipts.
Out: plannings, kept in the ERP: lines, allocations, one document per supplier.
"""
