"""Rows of all entity sets with a common undo: a change set succeeds completely or leaves no trace.

Rows are values. A stored row is never changed in place but replaced, so undo only restores the previous row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from erpsim.company.exchange import Fields, Key
from erpsim.company.store import Change, Store


class Table:
    """Rows of one entity set by key.

    Args:
        rows: the seed's rows, owned by the table from now on.
    """

    def __init__(self, rows: dict[Key, Fields]) -> None:
        self._rows = rows
        self._ordered: list[Key] | None = None
        self._changed: list[Key] = []

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, key: Key) -> Fields | None:
        """Return a row, which callers must not change."""
        return self._rows.get(key)

    def __iter__(self) -> Iterator[Fields]:
        """Yield all rows in the order of their keys, as the database's primary index does."""
        rows = self._rows
        return (rows[key] for key in self.keys())

    def keys(self) -> list[Key]:
        """Return all keys in order."""
        if self._ordered is None:
            self._ordered = sorted(self._rows)
        return self._ordered

    @property
    def version(self) -> int:
        """Number of times a row was stored or removed since the table was loaded, including undone
        changes.
        """
        return len(self._changed)

    def changed_since(self, version: int) -> list[Key]:
        """Return the distinct keys of rows touched after this version."""
        return list(dict.fromkeys(self._changed[version:]))

    def put(self, key: Key, row: Fields | None) -> Fields | None:
        """Store a row (None removes it) and return the previous one."""
        self._changed.append(key)
        old = self._rows.get(key)
        if row is None:
            self._rows.pop(key, None)
        else:
            self._rows[key] = row
        if (old is None) is not (row is None):
            self._note_keys(key, added=row is not None)
        return old

    def _note_keys(self, key: Key, *, added: bool) -> None:
        if self._ordered is None:
            return
        if added and (not self._ordered or self._ordered[-1] < key):
            self._ordered.append(key)  # the usual case: the next number
        else:
            self._ordered = None

    def next_number(self) -> int:
        """Return one more than the highest integer key."""
        keys = self.keys()
        last = keys[-1][-1] if keys else 0
        return last + 1 if isinstance(last, int) else 1


class Database:
    """All tables of a company.

    Args:
        load_seed: returns the seed's rows of an entity set; called once, when the set is first used.
        store: storage of the changes.
        seed: name of the seed, for the store.
    """

    def __init__(self, load_seed: Callable[[str], dict[Key, Fields]], store: Store, seed: str) -> None:
        self._load_seed = load_seed
        self._store = store
        self._tables: dict[str, Table] = {}
        self._undo: list[tuple[str, Key, Fields | None]] = []
        self._depth = 0
        self._kept: dict[str, list[tuple[Key, Fields | None]]] = {}
        for change in store.load(seed):
            self._kept.setdefault(change.table, []).append((change.key, change.row))

    def table(self, name: str) -> Table:
        """Return a table; the first use loads its seed and its stored changes."""
        table = self._tables.get(name)
        if table is None:
            rows = self._load_seed(name)
            for key, row in self._kept.pop(name, ()):
                if row is None:
                    rows.pop(key, None)
                else:
                    rows[key] = row
            table = self._tables[name] = Table(rows)
        return table

    @property
    def in_transaction(self) -> bool:
        """True if a transaction is open."""
        return self._depth > 0

    def get(self, name: str, key: Key) -> Fields | None:
        """Return a row of a table, None if there is none."""
        return self.table(name).get(key)

    def put(self, name: str, key: Key, row: Fields | None) -> None:
        """Replace a row, or remove it with None. Only inside a transaction."""
        if not self._depth:
            msg = "rows change inside transactions only"
            raise RuntimeError(msg)
        self._undo.append((name, key, self.table(name).put(key, row)))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all changes made inside, or none.

        A nested transaction is a savepoint: its failure undoes only its own changes, and its changes become
        final with the outer one.
        """
        savepoint = len(self._undo)
        self._depth += 1
        try:
            yield
            if self._depth == 1:
                self._store.save(self._changes())
        except BaseException:
            while len(self._undo) > savepoint:
                name, key, row = self._undo.pop()
                self.table(name).put(key, row)
            raise
        finally:
            self._depth -= 1
            if not self._depth:
                self._undo.clear()

    def _changes(self) -> Iterable[Change]:
        touched: Mapping[tuple[str, Key], None] = dict.fromkeys((name, key) for name, key, _ in self._undo)
        return [Change(name, key, self.get(name, key)) for name, key in touched]
