"""In: the question whether the process lives, and whether it can reach the ERP.
Out: the answer, from a probe that asks the ERP no more often than it must.
"""
