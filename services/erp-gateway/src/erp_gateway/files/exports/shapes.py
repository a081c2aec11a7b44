"""Parameters and answers of endpoints that export, for the API's description."""

from typing import Final

from erp_gateway.files.exports.options import (
    CSV_TYPE,
    DISPOSITION,
    DISPOSITIONS,
    FORMAT,
    SEPARATOR,
    SEPARATORS,
    XLSX_TYPE,
    ExportFormat,
)
from servicekit.endpoint import Body, QueryParam

QUERY: Final = (
    QueryParam(
        FORMAT,
        f"Answers a file instead; `Accept: {CSV_TYPE}` or `Accept: {XLSX_TYPE}` asks for the same",
        None,
        {"type": "string", "enum": [each.value for each in ExportFormat]},
    ),
    QueryParam(
        SEPARATOR,
        "Of a CSV: `;` with a decimal comma (default), `,` with a decimal point",
        None,
        {"type": "string", "enum": list(SEPARATORS)},
    ),
    QueryParam(
        DISPOSITION,
        "`inline`: to be shown instead of saved",
        None,
        {"type": "string", "enum": list(DISPOSITIONS)},
    ),
)
"""Query parameters of an endpoint that exports."""

FILES: Final = (
    Body({"type": "string"}, "Código;Total\r\nA1;12,5\r\n", CSV_TYPE),
    Body({"type": "string", "contentMediaType": XLSX_TYPE}, "PK…", XLSX_TYPE),
)
"""Further bodies of its answer."""

DISPOSITION_HEADER: Final = {"Content-Disposition": "Names a file after what it holds and the day"}
