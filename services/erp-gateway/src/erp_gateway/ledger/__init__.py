"""In: creates, changes and actions before they are sent to the ERP, and how each of them ended.
Out: a row for each, committed before its first byte leaves; the same answer for the same request sent again.
"""
