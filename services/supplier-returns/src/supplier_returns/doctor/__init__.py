"""In: the configuration, and the ERP's account of whoever calls the doctor.
Out: checks of what stands between this installation and its ERP; they only look.
"""
