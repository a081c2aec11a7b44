"""What the tour needs of the simulated company, and trouble that it makes there."""

import json
import ssl
from functools import partial
from typing import Final

from stack.company import ERP_PASSWORD, ERP_USER
from stack.exchange import exchange

TRACE_FIELD: Final = "U_GW_Clave"
"""Field in which new documents carry the number of their write."""

_FIELD: Final = {
    "Name": TRACE_FIELD.removeprefix("U_"),
    "TableName": "ORDR",
    "Type": "db_Alpha",
    "Size": 32,
    "Description": "Operación",
}


def add_trace_field(port: int, tls: ssl.SSLContext | None = None) -> None:
    """Add the field to the company's documents, as its consultant would.

    Args:
        port: of the simulated Service Layer.
        tls: how to speak to it, where it has HTTPS.

    Raises:
        OSError: it answered something else.
    """
    who = {"CompanyDB": "SBO_DEMO", "UserName": ERP_USER, "Password": ERP_PASSWORD}
    erp = partial(exchange, port, tls=tls)
    login = erp("POST", "/b1s/v1/Login", who)
    cookie = {"Cookie": f"B1SESSION={login.body['SessionId']}"}
    made = erp("POST", "/b1s/v1/UserFieldsMD", _FIELD, headers=cookie)
    erp("POST", "/b1s/v1/Logout", headers=cookie)
    if made.status != 201:
        raise OSError(f"the company's field could not be added: {json.dumps(made.body)}")


def lose_next_answer(port: int, method: str, path: str) -> None:
    """Let the ERP do the next such call and lose its answer.

    Args:
        port: the control port of the simulated ERP.
        method: HTTP method.
        path: below the service root.
    """
    fault = {"action": {"kind": "drop", "when": "after-work"}, "method": method, "path": path}
    exchange(port, "POST", "/faults", fault)
