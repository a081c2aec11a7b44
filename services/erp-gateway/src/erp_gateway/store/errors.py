# ruff: noqa: N818 - refusals are plain nouns
"""Errors of the store.

StoreNotUsable        at the start, for the operator
├── StoreInUse        another process has the lock
└── BackupFailed      no copy was made
StoreUnavailable      while running, for the client: 503
"""

from servicekit.errors import ServiceError


class StoreNotUsable(Exception):
    """The store cannot be opened; the message tells the operator the reason and the remedy."""


class StoreInUse(StoreNotUsable):
    """Another process has the store's lock; the message names it."""


class BackupFailed(StoreNotUsable):
    """No backup was made; the message has the reason."""


class StoreUnavailable(ServiceError):
    """The service's own store failed. Nothing was changed."""

    status = 503
    code = "store_unavailable"
    title = "Service Unavailable"
    detail = "No se pudo guardar o leer en el registro interno. No se hizo ningún cambio; intente de nuevo."
