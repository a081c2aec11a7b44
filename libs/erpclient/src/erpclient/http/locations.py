"""The ``Location`` header of a new record."""


def below_root(location: str | None, root_path: str) -> str | None:
    """Return the path of a ``Location`` below the service root, ``None`` if it is elsewhere.

    Args:
        location: the header, a whole address or a path.
        root_path: the service root without its origin: ``/b1s/v1``.
    """
    return (location or "").partition(f"{root_path}/")[2] or None
