"""Saving stored queries: read, rewritten, their parameters listed."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from erpsim.business.rules import Answer, Modification, Operation, changed_row, unknown_action
from erpsim.company.errors import already_exists, field_fixed, invalid
from erpsim.company.exchange import Fields, Key
from erpsim.company.habits import OtherHabit
from erpsim.stored_queries.analyser import Analysis


@attrs.frozen
class StoredQueryRules:
    """`SQLQueries`.

    Args:
        analyse: parses a text for the company in which it is saved.
    """

    analyse: Callable[[str], Analysis]

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Store a query.

        Raises:
            SlError: 701 to 703; -2035 for a code that exists.
        """
        code = str(fields.get("SqlCode") or "")
        if not code:
            raise invalid("Enter a code  [OSQL.SqlCode]")  # assumed text
        if at.company.find(at.set_name, code) is not None:
            raise already_exists()
        return at.company.insert(at.set_name, self._read(fields, at))

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Store a changed query.

        Raises:
            SlError: 701 to 703; -1029 for another code.
        """
        if change.fields.get("SqlCode", row["SqlCode"]) != row["SqlCode"]:
            raise field_fixed()
        at.company.update(at.set_name, self._read(changed_row(at.row_type, row, change), at))

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Remove a query."""
        at.company.remove(at.set_name, (str(row["SqlCode"]),))

    def act(self, at: Operation, _row: Fields, action: str, /) -> Answer:
        """Refuse: running a query is no bound action of this kind."""
        raise unknown_action(at, action)

    def _read(self, row: Fields, at: Operation) -> Fields:
        analysis = self.analyse(str(row.get("SqlText") or ""))
        parameters = ",".join(analysis.parameters)
        switches = at.company.switches
        if switches.has(OtherHabit.QUERY_NAME_LOST):
            row = {**row, "SqlName": row["SqlCode"]}
        if switches.has(OtherHabit.QUERY_PARAMETERS_UNLISTED):
            parameters = ""
        text = row.get("SqlText") if switches.has(OtherHabit.QUERY_TEXT_KEPT) else analysis.text
        return {**row, "SqlText": text, "ParamList": parameters or None}
