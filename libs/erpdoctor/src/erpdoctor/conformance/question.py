"""A question to the ERP: one assumption of our code, where it is known from, and what hangs on it."""

from collections.abc import Awaitable, Callable

from attrs import frozen

from erpclient.odata import Dialect
from erpdoctor.conformance.ground import Ground

Probe = Callable[[Ground], Awaitable[str]]
"""Asks, and returns the answer in a word or two of a small set; never a value of the company's."""


@frozen(kw_only=True)
class Question:
    """One assumption that our code makes of the ERP.

    Attributes:
        name: stable, in lower case with hyphens.
        asks: the question, in a sentence.
        expected: the answer that our code counts on; of v1, and of v2 unless that differs.
        expected_v2: the answer of v2, where it differs.
        source: where the answer is known from.
        breaks: what goes wrong here if the answer is another.
        switches: settings of the simulator with which it answers otherwise, ``name=value``; none where it
            can't.
        probe: asks it; ``None`` where nobody asks.
        unasked: why nobody asks.
        writes: whether asking changes anything.
    """

    name: str
    asks: str
    expected: str
    source: str
    breaks: str
    expected_v2: str | None = None
    switches: tuple[str, ...] = ()
    probe: Probe | None = None
    unasked: str = ""
    writes: bool = False

    def expected_of(self, dialect: Dialect) -> str:
        """Return the answer that our code counts on."""
        if dialect is Dialect.V2 and self.expected_v2 is not None:
            return self.expected_v2
        return self.expected
