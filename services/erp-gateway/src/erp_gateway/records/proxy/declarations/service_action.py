"""A service action of the ERP: an action without a record, and the parameters that it takes."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import attrs
from attrs import field, frozen

from erp_gateway.values.declarations import ADD_A_COMMA

# The name of a query-only service action says that it reads. Some of these reach other people's passwords
# (AdminInfo holds ServicePassword) or any table (QueryService).
_QUERY_ACTION: Final = re.compile(r"[A-Za-z0-9_]+Service_Get[A-Za-z0-9_]+")
_FORBIDDEN_SERVICES: Final = re.compile(
    r"(query|users?|employees?info|userpermission|usergroup|sql|external)[a-z]*service_.*"
    r"|companyservice_get(admininfo|advancedglaccount)",
)

_PARAMETER: Final = re.compile(r"[A-Za-z_]\w*(\[\])?(\.[A-Za-z_]\w*(\[\])?)*", re.ASCII)


def _check_parameters(_: object, __: "attrs.Attribute[Any]", value: object) -> None:
    if value is None:
        return
    if isinstance(value, str):
        raise TypeError(f"parameters must be a tuple: {ADD_A_COMMA}")
    if not isinstance(value, tuple) or not all(isinstance(each, str) for each in value):
        raise TypeError("parameters must be a tuple of str")


@frozen
class ServiceAction:
    """A service action that only reads and belongs to no record. Any signed-in user may call it.

    Attributes:
        name: as the Service Layer spells it, such as `SeriesService_GetDocumentSeries`.
        parameters: everything that a body may hold, as paths: `Currency`, or `DocumentTypeParams.Document`
            for a member of a parameter. A parameter without declared members takes any. None: not declared,
            so any name is passed on to the ERP.
    """

    name: str = field(validator=attrs.validators.instance_of(str))
    parameters: tuple[str, ...] | None = field(default=(), validator=_check_parameters)

    @classmethod
    def of(cls, declared: "ServiceAction | str") -> "ServiceAction":
        """Return a declaration; a bare name, as extensions may write it, declares no parameters."""
        return declared if isinstance(declared, ServiceAction) else cls(declared, None)

    def problems(self) -> Iterator[str]:
        """Yield one sentence for each fault of the declaration."""
        if not _QUERY_ACTION.fullmatch(self.name):
            yield "a service action must only read, and be called ...Service_Get..."
        elif _FORBIDDEN_SERVICES.fullmatch(self.name.casefold()):
            yield "this service action may never be registered"
        for parameter in self.parameters or ():
            if not _PARAMETER.fullmatch(parameter):
                yield f"parameter {parameter!r} is no path of property names"

    def recorded_name(self, path: str) -> str | None:
        """Return the name under which the audit records a sent field; None if the action does not take it.

        Clients choose what is below a parameter without declared members, so only the parameter is recorded.
        """
        if self.parameters is None:
            return path
        for parameter in self.parameters:
            if path == parameter or path.startswith((f"{parameter}.", f"{parameter}[")):
                return parameter
            if parameter.startswith((f"{path}.", f"{path}[")):
                return path  # null, or an empty object or list
        return None

    def recorded_names(self, paths: Iterable[str]) -> list[str]:
        """Return the recorded names of fields that the action takes, each once."""
        return list(dict.fromkeys(name for path in paths if (name := self.recorded_name(path))))
