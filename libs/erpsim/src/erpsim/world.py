"""The simulated company: what it holds and what it does when asked. No sockets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from erpsim.clock import Clock, SystemClock
from erpsim.facts import Facts
from erpsim.query.options import QueryOptions
from erpsim.records import Body, Caller, Key, ListResult, Record, ServiceReply, Value, WriteMode
from erpsim.store import MemoryStore, Store
from erpsim.switches import Switches


class World:
    """A company in memory. Every refusal is an `SlError`.

    Args:
        facts: what the company's metadata says (`Facts.load_default()` or `Facts.load_edmx(path)`).
        switches: see `Switches`; `world.switches` may be replaced while it runs.
        seed: `"full"`, `"small"` or `"empty"` (see `erpsim.seeds`).
        clock: source of today's date.
        store: where changes are kept.
    """

    def __init__(
        self,
        facts: Facts,
        *,
        switches: Switches | None = None,
        seed: str = "small",
        clock: Clock | None = None,
        store: Store | None = None,
    ) -> None:
        self.facts = facts
        self.switches = switches or Switches()
        self.clock = clock or SystemClock()
        raise NotImplementedError

    def authenticate(self, company: str, user: str, password: str) -> str:
        """Check a login; return the user's name as the company spells it, for `Caller.user`."""
        raise NotImplementedError

    def reset(self) -> None:
        """Go back to the seed and forget every change, in the store too."""
        raise NotImplementedError

    def parse_key(self, set_name: str, text: str) -> Key:
        """Read what stands between the brackets of an address (decoded): `22`, `'A''1'`, `Code='X',Type=1`."""
        raise NotImplementedError

    def list(self, set_name: str, options: QueryOptions, caller: Caller) -> ListResult:
        """Answer `GET Set?...`."""
        raise NotImplementedError

    def count(self, set_name: str, options: QueryOptions, caller: Caller) -> int:
        """Answer `GET Set/$count?$filter=...`."""
        raise NotImplementedError

    def get(self, set_name: str, key: Key, options: QueryOptions, caller: Caller) -> Record:
        """Answer `GET Set(key)?$select&$expand`."""
        raise NotImplementedError

    def get_property(self, set_name: str, key: Key, name: str, caller: Caller) -> Value:
        """Answer `GET Set(key)/Property`; None for null, which a missing record reads as too."""
        raise NotImplementedError

    def create(self, set_name: str, body: Body, caller: Caller) -> Record:
        """Answer `POST Set`."""
        raise NotImplementedError

    def modify(
        self,
        set_name: str,
        key: Key,
        body: Body,
        caller: Caller,
        *,
        mode: WriteMode = WriteMode.MERGE,
        if_match: str | None = None,
        replace_collections: bool = False,
    ) -> None:
        """Answer `PATCH`, `MERGE` or `PUT Set(key)`."""
        raise NotImplementedError

    def delete(self, set_name: str, key: Key, caller: Caller, *, if_match: str | None = None) -> None:
        """Answer `DELETE Set(key)`."""
        raise NotImplementedError

    def action(
        self, set_name: str, key: Key, name: str, body: Body, caller: Caller, *, if_match: str | None = None
    ) -> Record | None:
        """Answer `POST Set(key)/Action`; None is 204."""
        raise NotImplementedError

    def service_action(self, name: str, body: Body, caller: Caller) -> ServiceReply:
        """Answer `POST Name` at the root (in v2 some answer GET too: `facts.functions`)."""
        raise NotImplementedError

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all calls inside succeed or leave no trace: a change set. Nesting joins the outer one."""
        raise NotImplementedError
        yield
