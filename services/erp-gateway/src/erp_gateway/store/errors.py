# ruff: noqa: N818 - refusals are plain nouns
"""What can go wrong with the store.

StoreNotUsable        at the start, for the person who starts the process
├── StoreInUse        another process holds it
└── BackupFailed      no copy was made
StoreUnavailable      while running, for the client: 503
"""

from servicekit.errors import ServiceError


class StoreNotUsable(Exception):
    """The store cannot be opened; the text says why and what to do, for the person who starts the process."""


class StoreInUse(StoreNotUsable):
    """Another process holds the store; the text names it."""


class BackupFailed(StoreNotUsable):
    """No backup was made; the text says why."""


class StoreUnavailable(ServiceError):
    """The service's own store failed. Nothing was changed."""

    status = 503
    code = "store_unavailable"
    title = "Service Unavailable"
    detail = "No se pudo guardar o leer en el registro interno. No se hizo ningún cambio; intente de nuevo."
