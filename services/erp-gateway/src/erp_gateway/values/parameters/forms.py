"""What of a declaration only the moment knows: relative days, and choices that queries give."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, Protocol

import attrs
from attrs import define, evolve

from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult, Recorder
from erp_gateway.values.parameters.declare import Option, OptionsQuery, ReportParameter
from erp_gateway.values.parameters.reading import ValueProblem, on_day, read_scalar
from servicekit.csv_cells import as_text, plain_number
from servicekit.errors import as_service_error

MAX_OPTIONS: Final = 1000
"""Most choices that a query may give; nobody finds theirs among more."""


class OptionRows(Protocol):
    """What a query returned: `queries.client.QueryResult` is one."""

    @property
    def rows(self) -> Sequence[Mapping[str, object]]:
        """One mapping for each row, by column."""
        ...

    @property
    def truncated(self) -> bool:
        """Whether there are more rows behind them."""
        ...


RunOptions = Callable[[str], Awaitable[OptionRows]]
"""Runs a registered query that takes no parameters."""


class OptionsFailedError(Exception):
    """A query gave rows that can't be choices; the text says why, without any value."""

    def __init__(self, query: str, reason: str) -> None:
        super().__init__(f"options of the query {query!r}: {reason}")


def options_problems(parameters: Sequence[ReportParameter], queries: Mapping[str, bool]) -> Iterator[str]:
    """Yield what keeps a declared query from giving choices, one sentence each.

    Args:
        parameters: of one report or query; they name the queries.
        queries: all that there are, and whether they take parameters.
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
    """Return declarations with the choices that their queries give at this moment.

    Args:
        parameters: of one report or query.
        run: runs a query.
        sent: what a person sent; a query is run only where a value has to be held against its choices. None
            runs all of them.

    Raises:
        OptionsFailedError: a query gave something else than choices.
        ServiceError: what the database answered.
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
    """Return the rows as choices: without those that have no value, the first of each value.

    Raises:
        OptionsFailedError: there are too many, a column is missing, or a value is of another type.
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
    """Fills in what reports and queries ask for, as of today.

    Args:
        run: runs a registered query that takes no parameters, in a user's turn.
        recorder: where each query is recorded that a form asks for.
        today: tells the day in the installation's time zone.
    """

    _run: Callable[[str, str], Awaitable[OptionRows]]
    _recorder: Recorder
    _today: Callable[[], date]

    def listed(self, parameters: Sequence[ReportParameter]) -> tuple[ReportParameter, ...]:
        """Return declarations with plain days; nothing is asked of the database."""
        return on_day(parameters, self._today())

    async def form(self, parameters: Sequence[ReportParameter], actor: Actor) -> tuple[ReportParameter, ...]:
        """Return declarations with plain days and choices.

        Who may run the report or query may see its choices, whatever the menu route of the query that gives
        them: they are asked for anew each time, and kept for nobody.

        Raises:
            OptionsFailedError: a query gave something else than choices.
            ServiceError: what the database answered.
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
        """Return declarations to hold against what a person sent; choices are those of this moment.

        Raises:
            OptionsFailedError: a query gave something else than choices.
            ServiceError: what the database answered.
        """

        def run(query: str) -> Awaitable[OptionRows]:
            return self._run(query, actor.web_user or "")

        return await with_options(self.listed(parameters), run, sent=sent)
