"""In: batches and serial numbers that lie in a warehouse, and those that people picked, as values.
Out: what can still be picked, and allocations cut so that each part has one pick; pure.
"""
