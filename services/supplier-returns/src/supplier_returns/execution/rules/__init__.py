"""What to do next, and what an answer of the ERP means: pure decisions over values.

In: what is recorded, what was found, the time. Out: steps, outcomes, changed values; nothing waits or sends.
"""
