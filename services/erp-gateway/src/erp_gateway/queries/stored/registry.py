"""The declared stored queries, checked once at startup, found by name."""

from collections.abc import Iterable, Iterator

from erp_gateway.queries.stored.declaration import StoredQuery, stored_query_faults
from erp_gateway.values.declarations import RegistryError
from erp_gateway.values.parameters.forms import options_problems


class StoredQueryRegistry:
    """Checked declarations by name.

    Args:
        queries: one declaration for each name and code.
        taken: names of the queries of the ERP's database. Names are unique across both, since the audit log
            holds the name alone.

    Raises:
        RegistryError: with all faults of all declarations.
    """

    def __init__(self, queries: Iterable[StoredQuery], *, taken: Iterable[str] = ()) -> None:
        declared = tuple(queries)
        self._queries = {query.name: query for query in declared}
        problems = list(_repeated(declared, {name.casefold() for name in taken}))
        takes_parameters = {query.name: bool(query.parameters) for query in declared}
        for query in declared:
            problems += [f"{query.name}: {fault}" for fault in stored_query_faults(query)]
            problems += [
                f"{query.name}: {problem}"
                for problem in options_problems(query.report_parameters, takes_parameters)
            ]
        if problems:
            raise RegistryError(problems)

    @property
    def queries(self) -> tuple[StoredQuery, ...]:
        """All declarations, by name."""
        return tuple(self._queries[name] for name in sorted(self._queries))

    def find(self, name: str) -> StoredQuery | None:
        """Return the query of this exact name, or None."""
        return self._queries.get(name)


def _repeated(declared: tuple[StoredQuery, ...], names: set[str]) -> Iterator[str]:
    codes: set[str] = set()
    for query in declared:
        if query.name.casefold() in names:
            yield f"{query.name}: there is another query of this name"
        if query.code.casefold() in codes:
            yield f"{query.name}: there is another query with the code {query.code}"
        names.add(query.name.casefold())
        codes.add(query.code.casefold())
