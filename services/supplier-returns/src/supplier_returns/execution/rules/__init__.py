"""In: what is recorded, what was found, the time.
Out: steps, outcomes, changed values; pure decisions, nothing waits or sends.
"""
