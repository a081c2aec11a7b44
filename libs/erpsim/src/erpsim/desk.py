"""Access to a company as one user without HTTP, for tests and for inspecting a running simulator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec

import attrs

from erpsim.company.errors import SlError
from erpsim.company.exchange import Body, Caller, Fields, Key, Value, WriteMode
from erpsim.query.options import QueryOptions
from erpsim.world import World

_P = ParamSpec("_P")


def _superuser() -> Caller:
    return Caller(user="manager")


@attrs.frozen
class Desk:
    """Calls a world as one user. Keys are plain values and results plain fields.

    Args:
        world: the company.
        caller: the user and generation of the calls.
    """

    world: World
    caller: Caller = attrs.field(factory=_superuser)

    def read(self, set_name: str, key: Key | str | int, **options: Any) -> Fields:
        """Return one entity; options as in `QueryOptions`."""
        return self.world.get(set_name, _key(key), QueryOptions(**options), self.caller).fields

    def rows(self, set_name: str, **options: Any) -> list[Fields]:
        """Return all matching entities, unpaged unless `page_size` is given."""
        query_options = QueryOptions(**{"page_size": 0, **options})
        return [entity.fields for entity in self.world.list(set_name, query_options, self.caller).rows]

    def etag(self, set_name: str, key: Key | str | int) -> str | None:
        """Return an entity's tag."""
        return self.world.get(set_name, _key(key), QueryOptions(), self.caller).etag

    def create(self, set_name: str, body: Body) -> Fields:
        """Create an entity and return all of its fields."""
        return self.world.create(set_name, body, self.caller).fields

    def change(
        self,
        set_name: str,
        key: Key | str | int,
        body: Body,
        *,
        replace_collections: bool = False,
        mode: WriteMode = WriteMode.MERGE,
        if_match: str | None = None,
    ) -> None:
        """Change an entity."""
        self.world.modify(
            set_name,
            _key(key),
            body,
            self.caller,
            mode=mode,
            if_match=if_match,
            replace_collections=replace_collections,
        )

    def delete(self, set_name: str, key: Key | str | int, *, if_match: str | None = None) -> None:
        """Remove an entity."""
        self.world.delete(set_name, _key(key), self.caller, if_match=if_match)

    def act(
        self, set_name: str, key: Key | str | int, action: str, *, if_match: str | None = None
    ) -> Fields | None:
        """Run a bound action and return the resulting entity, None for 204."""
        entity = self.world.action(set_name, _key(key), action, {}, self.caller, if_match=if_match)
        return None if entity is None else entity.fields

    def service(self, name: str, body: Body | None = None) -> Value:
        """Run a service action; return its value."""
        return self.world.service_action(name, body or {}, self.caller).value

    @staticmethod
    def refusal(call: Callable[_P, object], *args: _P.args, **kwargs: _P.kwargs) -> SlError:
        """Run a call that must be refused and return the refusal.

        Raises:
            AssertionError: it was not refused.
        """
        try:
            call(*args, **kwargs)
        except SlError as error:
            return error
        raise AssertionError("the call was not refused")


def _key(key: Key | str | int) -> Key:
    return key if isinstance(key, tuple) else (key,)
