"""In: HTTP requests of `/api/planificaciones`.
Out: what planning is asked to do, and its answers in the words of the wire.
"""
