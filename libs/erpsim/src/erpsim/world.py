"""The simulated company and its operations. No sockets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import attrs

from erpsim.business import users
from erpsim.business.approvals import HeldForApprovalError
from erpsim.business.customizing.valid_values import check_valid_values
from erpsim.business.documents.attachments import ATTACHMENTS, UploadedFile, add_files, read_file
from erpsim.business.documents.drafts import store_draft
from erpsim.business.rules import Modification, Operation, Rules
from erpsim.business.rules_by_set import rules_for
from erpsim.business.services import find_operation, run_service
from erpsim.company.bodies import read_body
from erpsim.company.clock import Clock, SystemClock
from erpsim.company.company import Company
from erpsim.company.errors import (
    NotSimulatedError,
    not_permitted,
    unknown_command,
    unknown_set,
)
from erpsim.company.exchange import (
    Body,
    Caller,
    Entity,
    Fields,
    Key,
    ListResult,
    ServiceReply,
    Value,
    WriteMode,
)
from erpsim.company.habits import OtherHabit
from erpsim.company.rows.keys import parse_key
from erpsim.company.rows.tags import check_match
from erpsim.company.store import MemoryStore, Store
from erpsim.company.switches import MetadataVisible, Switches
from erpsim.company.tables import Database
from erpsim.facts.model import EntitySetFacts, Facts, OperationFacts
from erpsim.query import aggregation, retrieval
from erpsim.query.cross_joins import JoinPage, cross_join
from erpsim.query.options import QueryOptions
from erpsim.seeds import load_seed
from erpsim.stored_queries import rights
from erpsim.stored_queries.rules import StoredQueryRules
from erpsim.stored_queries.running import QueryPage, QueryRunner, read_parameters

STORED_QUERIES = "SQLQueries"


class World:
    """A company in memory. Every refusal is an `SlError`.

    It is not thread-safe and never blocks: use one caller at a time, and run a change set without
    interruption.

    Args:
        facts: the company's metadata (`load_packaged_facts()` or `load_own_facts(path)`).
        switches: see `Switches`; `world.switches` may be replaced while it runs.
        seed: `"full"`, `"small"` or `"empty"` (see `erpsim.seeds`).
        clock: source of today's date.
        store: storage of changes; its opener closes it.

    Raises:
        StoreError: the store belongs to another seed.
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
        self._packaged_facts = facts
        self._seed = seed
        self._store = store or MemoryStore()
        self._company = Company(facts, switches or Switches(), clock or SystemClock(), self._open_database())
        self._queries = QueryRunner(self)
        self._query_rules = StoredQueryRules(self._queries.analyse)

    def _open_database(self) -> Database:
        return Database(load_seed(self._seed, self._packaged_facts), self._store, self._seed)

    @property
    def facts(self) -> Facts:
        """Metadata that the Service Layer shows."""
        return self._company.facts

    @property
    def switches(self) -> Switches:
        """The company's settings."""
        return self._company.switches

    @switches.setter
    def switches(self, switches: Switches) -> None:
        self._company.use(switches)

    @property
    def company(self) -> Company:
        """Rows and facts, for direct access to its tables."""
        return self._company

    def reset(self) -> None:
        """Restore the seed and discard every change, also in the store."""
        self._store.clear()
        self._company.database = self._open_database()
        self._company.use(self._company.switches)

    def restart(self) -> None:
        """Restart the Service Layer: show all of the company's metadata."""
        self._company.show_metadata()

    def authenticate(self, company: str, user: str, password: str) -> str:
        """Check a login; return the user's name as the company spells it, for `Caller.user`.

        Raises:
            SlError: see `erpsim.business.users.authenticate`.
        """
        name = users.authenticate(self._company, company, user, password)
        if self.switches.metadata_visible is not MetadataVisible.AFTER_RESTART:
            # Seen for one session; here any login shows new metadata to the whole company.
            self._company.show_metadata()
        return name

    def parse_key(self, set_name: str, text: str) -> Key:
        """Parse a decoded key between the brackets of an address: `22`, `'A''1'`, `Code='X',Type=1`."""
        return parse_key(self._set(set_name), text)

    def list(self, set_name: str, options: QueryOptions, caller: Caller) -> ListResult:
        """Answer `GET Set?...`."""
        self._set(set_name)
        return retrieval.list_rows(self._company, set_name, options, caller)

    def aggregate(self, set_name: str, options: QueryOptions, caller: Caller) -> ListResult:
        """Answer `GET Set?$apply=...`; its rows are no entities."""
        self._set(set_name)
        return aggregation.aggregate_rows(self._company, set_name, options, caller)

    def count(self, set_name: str, options: QueryOptions, caller: Caller) -> int:
        """Answer `GET Set/$count?$filter=...`."""
        self._set(set_name)
        return retrieval.count_rows(self._company, set_name, options, caller)

    def get(self, set_name: str, key: Key, options: QueryOptions, caller: Caller) -> Entity:
        """Answer `GET Set(key)?$select&$expand`."""
        self._set(set_name)
        return retrieval.read_one(self._company, set_name, key, options, caller)

    def get_property(self, set_name: str, key: Key, name: str, caller: Caller) -> Value:
        """Answer `GET Set(key)/Property`; None for null, which is also the value for a missing entity."""
        self._set(set_name)
        return retrieval.read_property(self._company, set_name, key, name, caller)

    def create(self, set_name: str, body: Body, caller: Caller) -> Entity:
        """Answer `POST Set`: the whole entity."""
        entity_set = self._writable(set_name, caller)
        fields = self._read(set_name, body)
        with self._keeping_held_drafts(), self.transaction():
            key = self._rules(entity_set).create(self._at(set_name, caller), fields)
        return retrieval.read_whole(self._company, set_name, key, caller.dialect)

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
        entity_set = self._writable(set_name, caller)
        row = self._matching(set_name, key, if_match)
        fields = self._read(set_name, body)
        if self.switches.has(OtherHabit.LINES_REPLACED):
            replace_collections = True
        if self.switches.has(OtherHabit.REPLACE_HEADER_IGNORED):
            replace_collections = False
        change = Modification(
            fields,
            replace_collections,
            reset=mode is WriteMode.REPLACE,
            append=self.switches.has(OtherHabit.KEYLESS_ROWS_NEW),
        )
        with self.transaction():
            self._rules(entity_set).modify(self._at(set_name, caller), row, change)
            self._company.notify(set_name, key)

    def upload(self, key: Key | None, files: Sequence[UploadedFile], caller: Caller) -> Entity:
        """Answer `POST Attachments2` or, with a key, `PATCH Attachments2(key)` with a form of files."""
        self._writable(ATTACHMENTS, caller)
        with self.transaction():
            key = add_files(self._at(ATTACHMENTS, caller), key, files)
        return retrieval.read_whole(self._company, ATTACHMENTS, key, caller.dialect)

    def read_file(self, key: Key, name: str | None) -> bytes:
        """Answer `GET Attachments2(key)/$value?filename='...'`."""
        self._set(ATTACHMENTS)
        return read_file(self._company, key, name)

    def delete(self, set_name: str, key: Key, caller: Caller, *, if_match: str | None = None) -> None:
        """Answer `DELETE Set(key)`."""
        entity_set = self._writable(set_name, caller)
        row = self._matching(set_name, key, if_match)
        with self.transaction():
            self._rules(entity_set).delete(self._at(set_name, caller), row)

    def action(
        self,
        set_name: str,
        key: Key,
        name: str,
        body: Body,  # noqa: ARG002 - no simulated action has a body; real ones ignore it too
        caller: Caller,
        *,
        if_match: str | None = None,
    ) -> Entity | None:
        """Answer `POST Set(key)/Action`; None is 204."""
        entity_set = self._writable(set_name, caller)
        if name not in entity_set.type.actions:
            raise unknown_command()
        row = self._matching(set_name, key, if_match)
        again = name == "Cancel" and row.get("Cancelled") == "tYES"
        if again and self.switches.has(OtherHabit.CANCELLED_AGAIN):
            return None
        with self._keeping_held_drafts(), self.transaction():
            answer = self._rules(entity_set).act(self._at(set_name, caller), row, name)
        return None if answer is None else retrieval.read_whole(self._company, *answer, caller.dialect)

    def find_operation(self, name: str) -> OperationFacts | None:
        """Return a service action, including hidden ones, or None for an unknown name."""
        return find_operation(self._company, name)

    def run_query(
        self, code: str, pieces: Sequence[str], skip: int, size: int | None, caller: Caller
    ) -> QueryPage:
        """Answer `GET` or `POST SQLQueries(code)/List`.

        Args:
            code: of the query.
            pieces: its parameters as sent, `name=value` each, decoded.
            skip: `$skip` of a next link.
            size: rows of a page; None and 0 are the company's page size (paging is compulsory).
            caller: the user and generation of the call.

        Raises:
            SlError: 404, 403 without the right, 704 for bad parameters.
        """
        row = self._company.get(STORED_QUERIES, (code,))
        if not rights.may_run(self._company, caller.user, code):
            raise not_permitted()
        values = read_parameters(pieces)
        if self.switches.has(OtherHabit.QUERY_PAGES_SHORT):
            size = None
        page = self._queries.run(str(row["SqlText"]), values, skip, size or self.switches.page_size)
        return attrs.evolve(page, next_skip=None) if self.switches.has(OtherHabit.NO_NEXT_LINK) else page

    def grant_query(self, user: str, code: str, *, granted: bool = True) -> None:
        """Grant or revoke a normal user's right to run a stored query."""
        rights.set_right(self._company, user, code, granted=granted)

    def cross_join(
        self, path: str, options: Sequence[tuple[str, str]], size: int | None, caller: Caller
    ) -> JoinPage:
        """Answer `GET $crossjoin(...)` and the query service.

        Args:
            path: `$crossjoin(A,A/Collection)`, decoded.
            options: its query options, decoded.
            size: rows of a page; None for the company's page size, 0 for all.
            caller: the user and generation of the call.
        """
        for name in re.findall(r"[A-Za-z0-9_]+", path.partition("(")[2]):
            if name in self.switches.forbidden_sets:
                raise not_permitted()
        size = self.switches.page_size if size is None else size
        return cross_join(self._company, path, options, size, caller)

    def service_action(self, name: str, body: Body, caller: Caller) -> ServiceReply:
        """Answer `POST Name` at the root (in v2 some answer GET too: `find_operation(name).function`)."""
        with self.transaction():
            return run_service(self._company, name, body, caller)

    def keep_draft(self, held: HeldForApprovalError) -> None:
        """Store the draft of a document that approval caught."""
        with self.transaction():
            store_draft(self._company, held.draft)

    @contextmanager
    def _keeping_held_drafts(self) -> Iterator[None]:
        """Store the draft of a document that an approval procedure refuses and keeps."""
        try:
            yield
        except HeldForApprovalError as held:
            # The draft stays, unless a change set around it is undone.
            self.keep_draft(held)
            raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all calls inside atomic: a change set. A nested one joins the outer one."""
        with self._company.transaction():
            yield

    def _rules(self, entity_set: EntitySetFacts) -> Rules:
        return self._query_rules if entity_set.name == STORED_QUERIES else rules_for(entity_set)

    def _at(self, set_name: str, caller: Caller) -> Operation:
        return Operation(self._company, set_name, caller.user)

    def _set(self, set_name: str) -> EntitySetFacts:
        if set_name in self.switches.forbidden_sets:
            raise not_permitted()
        entity_set = self.facts.entity_sets.get(set_name)
        if entity_set is not None:
            return entity_set
        if set_name in self.facts.other_sets:
            raise NotSimulatedError(f"the entity set {set_name}")
        raise unknown_set()

    def _writable(self, set_name: str, caller: Caller) -> EntitySetFacts:
        entity_set = self._set(set_name)
        if set_name == STORED_QUERIES:
            permitted = rights.may_modify(self._company, caller.user)
        else:
            permitted = users.may_write(self._company, set_name, caller.user)
        if not permitted:
            raise not_permitted()
        return entity_set

    def _matching(self, set_name: str, key: Key, if_match: str | None) -> Fields:
        row = self._company.get(set_name, key)
        if self._company.tagged(set_name):
            habits = self.switches.other_habits
            check_match(
                if_match,
                row,
                garbage_passes=OtherHabit.GARBAGE_TAGS_REFUSED not in habits,
                stale_passes=OtherHabit.STALE_TAGS_PASS in habits,
                star_passes=OtherHabit.STAR_REFUSED not in habits,
            )
        return row

    def _read(self, set_name: str, body: Body) -> Fields:
        row_type = self._company.row_type(set_name)
        fields = read_body(row_type, body, self.switches.other_habits)
        check_valid_values(self._company, row_type, fields)
        return fields
