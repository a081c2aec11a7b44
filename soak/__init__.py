"""Long runs of both services as real processes with users and faults, and checks of ERP, store and audit
afterwards.
"""
