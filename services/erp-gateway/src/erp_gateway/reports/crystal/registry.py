"""Registered reports with their parameters and screens. Pure."""

import attrs
from attrs import frozen

from erp_gateway.values.parameters.declare import (
    ReportParameter,
)


@frozen(kw_only=True)
class ReportScreen:
    """A screen whose documents a report prints.

    Attributes:
        screen: exact menu route.
        default: whether it is the screen's first format; one report per screen.
    """

    screen: str
    default: bool = False


@frozen(kw_only=True)
class ReportDefinition:
    """An administrator's definition of a report.

    Attributes:
        title: name for people, and of the file.
        category: heading under which it is listed; may be empty.
        enabled: whether it can be run.
        documents: the screens whose documents it prints.
        parameters: the sent parameters, in the report's own order.
    """

    title: str
    category: str = ""
    enabled: bool = True
    documents: tuple[ReportScreen, ...] = ()
    parameters: tuple[ReportParameter, ...] = ()


@frozen(kw_only=True)
class RegisteredReport:
    """A registered report; `code` is the report gateway's own."""

    code: str
    title: str
    category: str
    enabled: bool
    documents: tuple[ReportScreen, ...]
    parameters: tuple[ReportParameter, ...]

    @property
    def screens(self) -> tuple[str, ...]:
        """Menu routes of its screens; empty for a report without a screen."""
        return tuple(each.screen for each in self.documents)

    def is_default_of(self, screen: str) -> bool:
        """Return whether it is the screen's default format."""
        return any(each.screen == screen and each.default for each in self.documents)

    def prints(self, screen: str) -> bool:
        """Return whether it is one of the screen's formats."""
        return screen in self.screens


def as_registered(code: str, definition: ReportDefinition) -> RegisteredReport:
    """Return the definition under its code."""
    title, category = definition.title.strip(), definition.category.strip()
    trimmed = attrs.evolve(definition, title=title, category=category)
    return RegisteredReport(code=code, **attrs.asdict(trimmed, recurse=False))
