"""ERP users, sales people and employees."""

from __future__ import annotations

from typing import Final

from erpsim.business.users import password_hash
from erpsim.company.exchange import Fields
from erpsim.seeds.words import GIVEN, SURNAMES

ERP_USERS: Final = {"manager": "erpsim", "bodega": "erpsim"}
"""ERP users (company logins) and their passwords; `manager` is a superuser."""

WEB_USERS: Final = {
    "ana": "ana-demo",
    "luis": "luis-demo",
    "carmen": "carmen-demo",
    "pedro": "pedro-demo",
    "rosa": "rosa-demo",
    "diego": "",
}
"""Web users (employees' `U_WEB_USER`) and the passwords that belong to them."""

WELCOME_WEB_USERS: Final = ("ana", "luis", "carmen")
"""Those of them that can sign in."""

# Argon2id of WEB_USERS["carmen"], made once: salts differ, and seeds are the same every time.
_CARMEN: Final = (
    "$argon2id$v=19$m=19456,t=2,p=1$9V+ii2W3RYtUSNepM0VetQ$uNMq9KZqXA5NIJvkle0KuzE/IDeQvpjYrc2Oa+/CLLA"
)

_EMPLOYEES: Final = (
    ("ana", WEB_USERS["ana"], "Ana", "González", "Jefa de administración", True),
    ("luis", WEB_USERS["luis"], "Luis", "Muñoz", "Ejecutivo de ventas", True),
    ("carmen", _CARMEN, "Carmen", "Rojas", "Jefa de bodega", True),
    ("pedro", WEB_USERS["pedro"], "Pedro", "Díaz", "Ex bodeguero", False),
    ("rosa", WEB_USERS["rosa"], "Rosa", "Pérez", "Cajera", True),
    ("rosa", WEB_USERS["rosa"], "Rosa María", "Soto", "Cajera", True),
    ("diego", WEB_USERS["diego"], "Diego", "O'Higgins", "Chofer", True),
)
_WITHOUT_WEB_USER: Final = 8


def people_rows() -> dict[str, list[Fields]]:
    """Return users, sales people and employees."""
    return {
        "Users": [
            {
                "InternalKey": key,
                "UserCode": name,
                "UserName": f"{name.capitalize()} demo",
                "Superuser": "tYES" if name == "manager" else "tNO",
                "eMail": f"{name}@demo.example",
                "LanguageCode": "ln_Spanish_La",
                "$password": password_hash(name, password),
            }
            for key, (name, password) in enumerate(ERP_USERS.items(), 1)
        ],
        "SalesPersons": [
            {"SalesEmployeeCode": -1, "SalesEmployeeName": "-Ningún empleado de ventas-"},
            {"SalesEmployeeCode": 1, "SalesEmployeeName": "Luis Muñoz", "EmployeeID": 2},
            {"SalesEmployeeCode": 2, "SalesEmployeeName": "Francisca Araya", "EmployeeID": 9},
        ],
        "EmployeesInfo": _employees(),
    }


def _employees() -> list[Fields]:
    rows: list[Fields] = []
    for number, (user, password, first, last, title, active) in enumerate(_EMPLOYEES, 1):
        rows.append(
            {
                **_employee(number, first, last, title, active=active),
                "U_WEB_USER": user,
                "U_WEB_PASS": password,
            }
        )
    for offset in range(_WITHOUT_WEB_USER):
        first, last = GIVEN[(offset + 6) % len(GIVEN)], SURNAMES[(offset + 16) % len(SURNAMES)]
        rows.append(_employee(len(_EMPLOYEES) + 1 + offset, first, last, "Operario", active=True))
    return rows


def _employee(number: int, first: str, last: str, title: str, *, active: bool) -> Fields:
    return {
        "EmployeeID": number,
        "FirstName": first,
        "LastName": last,
        "JobTitle": title,
        "eMail": f"empleado{number}@demo.example",
        "OfficePhone": f"+56 2 2555 {number:04d}",
        "Department": 1 + number % 3,
        "Branch": 1,
        "StartDate": f"{2015 + number % 8}-03-01",
        "TerminationDate": None if active else "2025-06-30",
        "Active": "tYES" if active else "tNO",
    }
