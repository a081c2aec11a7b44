"""Resolve the parts of declarations that change: relative days, and choices from queries."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, Protocol

import attrs
from attrs import define, evolve

from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from erp_gateway.values.audit_recorder import Recorder
from erp_gateway.values.parameters.declare import Option, OptionsQuery, ReportParameter
from erp_gateway.values.parameters.reading import ValueProblem, on_day, read_scalar
from servicekit.csv_cells import as_text, plain_number
from servicekit.errors import as_service_error

MAX_OPTIONS: Final = 1000
"""Limit of choices from a query; a longer list is of no use in a form."""


class OptionRows(Protocol):
    """Result of a query; implemented by `queries.client.QueryResult`."""

    @property
    def rows(self) -> Sequence[Mapping[str, object]]:
        """One mapping for each row, by column."""
        ...

    @property
    def truncated(self) -> bool:
        """True if there are more rows behind them."""
        ...


RunOptions = Callable[[str], Awaitable[OptionRows]]
"""Runs a registered query that takes no parameters."""


class OptionsFailedError(Exception):
    """Rows of a query can't be choices; the message has no values."""

    def __init__(self, query: str, reason: str) -> None:
        super().__init__(f"options of the query {query!r}: {reason}")


def options_problems(parameters: Sequence[ReportParameter], queries: Mapping[str, bool]) -> Iterator[str]:
    """Yield why declared queries can't return choices, one sentence each.

    Args:
        parameters: parameters of one report or query.
        queries: all query names, and whether each takes parameters.
    """
    for index, parameter in enumerate(parameters):
        source = parameter.input.options_from
        if source is None:
            continue
        at = f"parameters[{index}].input.options_from"
        if source.query not in queries:
            yield f"{at}: there is no query {source.query!r}"
        elif queries[source.query]:
            yield f"{at}: the query {source.query!r} takes parameters, and nobody gives it any"


async def with_options(
    parameters: Sequence[ReportParameter], run: RunOptions, *, sent: Mapping[str, object] | None = None
) -> tuple[ReportParameter, ...]:
    """Return declarations with the current choices of their queries.

    Args:
        parameters: parameters of one report or query.
        run: runs a query.
        sent: values sent by the client; only the queries needed to check them run. None runs all queries.

    Raises:
        OptionsFailedError: a query returned rows that can't be choices.
        ServiceError: of the database.
    """
    filled = list(parameters)
    for index, parameter in enumerate(parameters):
        source = parameter.input.options_from
        is_needed = sent is None or parameter.name in sent or parameter.input.default is not None
        if source is not None and is_needed:
            options = options_of(parameter, source, await run(source.query))
            filled[index] = attrs.evolve(parameter, input=attrs.evolve(parameter.input, options=options))
    return tuple(filled)


def options_of(parameter: ReportParameter, source: OptionsQuery, result: OptionRows) -> tuple[Option, ...]:
    """Return rows as choices; rows without a value are skipped, and the first row of each value counts.

    Raises:
        OptionsFailedError: there are too many, a column is missing, or a value has another type.
    """
    if result.truncated or len(result.rows) > MAX_OPTIONS:
        raise OptionsFailedError(source.query, f"there are more than {MAX_OPTIONS}, or its rows were cut")
    options: dict[str, Option] = {}
    for row in result.rows:
        missing = {source.value, source.label} - set(row)
        if missing:
            raise OptionsFailedError(source.query, f"it has no column {min(missing)!r}")
        if row[source.value] is None:
            continue
        value = _as_sent(row[source.value])
        try:
            read_scalar(parameter.value_type, value)
        except ValueProblem as error:
            reason = f"a value of the column {source.value!r} is not of the parameter's type {parameter.type}"
            raise OptionsFailedError(source.query, reason) from error
        label = row[source.label]
        options.setdefault(value, Option(value=value, label=value if label is None else _as_sent(label)))
    return tuple(options.values())


def _as_sent(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return plain_number(value)
    return as_text(value)


@define(eq=False, repr=False)
class ParameterForms:
    """Resolves parameters of reports and queries as of today.

    Args:
        run: runs a registered query without parameters, in a user's lane.
        recorder: audits each query that a form runs.
        today: returns the day in the installation's time zone.
    """

    _run: Callable[[str, str], Awaitable[OptionRows]]
    _recorder: Recorder
    _today: Callable[[], date]

    def listed(self, parameters: Sequence[ReportParameter]) -> tuple[ReportParameter, ...]:
        """Return declarations with fixed days; no query runs."""
        return on_day(parameters, self._today())

    async def form(self, parameters: Sequence[ReportParameter], actor: Actor) -> tuple[ReportParameter, ...]:
        """Return declarations with fixed days and choices.

        Users who may run the report or query may see its choices, whatever the menu route of the query behind
        them. The choices are read anew each time and not cached.

        Raises:
            OptionsFailedError: a query returned rows that can't be choices.
            ServiceError: of the database.
        """

        async def run(query: str) -> OptionRows:
            event = AuditEvent(
                action=AuditAction.DB_QUERY, result=AuditResult.OK, actor=actor, resource=query
            )
            try:
                result = await self._run(query, actor.web_user or "")
            except Exception as error:
                reason = as_service_error(error).code
                await self._recorder.record(evolve(event, result=AuditResult.ERROR, reason=reason))
                raise
            detail = AuditDetail(rows=len(result.rows), truncated=result.truncated)
            await self._recorder.record(evolve(event, detail=detail))
            return result

        return await with_options(self.listed(parameters), run)

    async def reading(
        self, parameters: Sequence[ReportParameter], sent: Mapping[str, object], actor: Actor
    ) -> tuple[ReportParameter, ...]:
        """Return declarations to check sent values against, with current choices.

        Raises:
            OptionsFailedError: a query returned rows that can't be choices.
            ServiceError: of the database.
        """

        def run(query: str) -> Awaitable[OptionRows]:
            return self._run(query, actor.web_user or "")

        return await with_options(self.listed(parameters), run, sent=sent)
