"""Request body of a download."""

from attrs import field, frozen

from supplier_returns.execution.shapes import check_numbers


@frozen(kw_only=True)
class DownloadBody:
    """Documents in the order of the pages, by default all created ones."""

    documentos: tuple[int, ...] | None = field(default=None, validator=check_numbers)
    cedible: bool = False
    parcial: bool = False
