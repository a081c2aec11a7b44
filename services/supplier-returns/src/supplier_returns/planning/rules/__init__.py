"""In: asked lines, stock, receipts, plannings as values.
Out: plans, changed plannings, refusals as values; pure, without any error of the services.
"""
