"""Facts about a report for every template. This module is separate, since templates load Mako."""

from attrs import frozen


@frozen(kw_only=True)
class Issue:
    """`informe` of every template: the report's title, time and user.

    Attributes:
        titulo: the report's title.
        emitido_el: day and time in the company's time zone, as `22-11-2026 15:30`.
        emitido_por: the web user.
    """

    titulo: str = ""
    emitido_el: str = ""
    emitido_por: str = ""

    @property
    def emision(self) -> str:
        """`Emitido el … por …`, with the available facts."""
        when = f"Emitido el {self.emitido_el}" if self.emitido_el else ""
        return f"{when} por {self.emitido_por}" if when and self.emitido_por else when
