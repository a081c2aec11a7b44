"""In: the environment's variables.
Out: the gateway's whole configuration as one value, or every fault in it at once.
"""
