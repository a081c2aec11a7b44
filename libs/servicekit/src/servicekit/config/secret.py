"""A value that no print, log or traceback shows."""

import hmac
from typing import Final, NoReturn, final

from typing_extensions import override

MASK: Final = "***"


@final
class Secret:
    """A password or token; `repr`, `str` and formatting print `***`, only `reveal()` gives the value."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the value itself, for the one place that has to send it."""
        return self._value

    @override
    def __repr__(self) -> str:
        return MASK

    @override
    def __format__(self, format_spec: str) -> str:
        return MASK

    @override
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._value.encode(), other._value.encode())

    @override
    def __hash__(self) -> int:
        return hash((Secret, self._value))

    @override
    def __reduce__(self) -> NoReturn:
        msg = "a secret is not pickled"
        raise TypeError(msg)
