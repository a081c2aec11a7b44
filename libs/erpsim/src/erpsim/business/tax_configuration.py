"""User table of an add-on with the address and credentials of the tax-document service."""

from __future__ import annotations

from typing import Final

from erpsim.company.exchange import Fields

TABLE: Final = "DTE_CONFC"
CONFIGURATION: Final = f"U_{TABLE}"
FIRST_ROW: Final[Fields] = {
    "Code": "1",
    "Name": "Proveedor DTE",
    "U_Url": "http://127.0.0.1:50003/wsfactlocal/dtelocal.asmx",
    "U_Usuario": "dte",
    "U_Clave": "dte-demo",
    "U_RutEmisor": "76543210-3",
    "U_Activo": "Y",
}
"""Key of the only row. A tax-document service that runs with the company writes its address into it."""

_FIELDS: Final = (
    ("Url", "Dirección", 254),
    ("Usuario", "Usuario", 50),
    ("Clave", "Clave", 100),
    ("RutEmisor", "RUT emisor", 12),
    ("Activo", "Activo (Y/N)", 1),
)


def table_rows() -> list[Fields]:
    """Return the table's row of `UserTablesMD`."""
    return [{"TableName": TABLE, "TableDescription": "Configuración DTE", "TableType": "bott_NoObject"}]


def field_rows() -> list[Fields]:
    """Return the table's rows of `UserFieldsMD`."""
    return [
        {
            "TableName": f"@{TABLE}",
            "FieldID": number,
            "Name": name,
            "Description": description,
            "Type": "db_Alpha",
            "SubType": "st_None",
            "Size": size,
            "EditSize": size,
            "ValidValuesMD": [],
        }
        for number, (name, description, size) in enumerate(_FIELDS)
    ]
