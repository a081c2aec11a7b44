"""ERP users and their logins."""

from __future__ import annotations

import hashlib
import hmac

from erpsim.business.rules import Operation
from erpsim.company.company import Company
from erpsim.company.errors import SlError, already_exists
from erpsim.company.exchange import Fields
from erpsim.company.rows.keys import key_of
from erpsim.company.switches import WrongLogin

_HASH = "$password"
_WRONG_LOGINS = "$wrong_logins"
# Sets that a normal user without further rights may only read.
_SUPERUSER_OWN = frozenset(
    {"Users", "UserTablesMD", "UserFieldsMD", "UserObjectsMD", "UserKeysMD", "ChartOfAccounts"}
)


def complete_user(at: Operation, row: Fields) -> Fields:
    """Return an ERP user with only a hash of the password, which responses never contain.

    Raises:
        SlError: another user has this code.
    """
    for other in at.company.rows(at.set_name):
        same_name = other.get("UserCode") == row.get("UserCode")
        if same_name and other.get("InternalKey") != row.get("InternalKey"):
            raise already_exists()
    completed = {name: value for name, value in row.items() if name != "UserPassword"}
    if row.get("UserPassword") is not None:
        completed[_HASH] = password_hash(str(row.get("UserCode")), str(row["UserPassword"]))
    return completed


def password_hash(user: str, password: str) -> str:
    """Return the stored hash of a password."""
    return hashlib.sha256(f"{user}\0{password}".encode()).hexdigest()


def authenticate(company: Company, database: str, user: str, password: str) -> str:
    """Check a login and return the user's name.

    The switch `logins_before_lock` locks a user after that many wrong passwords in a row, as the system
    initialization's "authentications before lock" does (SAP's help on users and passwords). A superuser
    unlocks by `Locked` = `tNO`. A correct password resets the count.

    Raises:
        SlError: 500 with 305 for company trouble: the switch's number, or -5027 for an unknown database (live
            reports). 401 for wrong credentials, as the switch says, and for a locked user:
            100000055 (captured; status and text are assumed), or as a wrong password in older builds.
    """
    trouble = company.switches.company_error
    if trouble is None and database != company.switches.company:
        trouble = -5027
    if trouble is not None:
        raise SlError(500, 305, f"Switch company error: {trouble}")
    for row in company.rows("Users"):
        if row.get("UserCode") == user:
            stored = str(row.get(_HASH) or "")
            if row.get("Locked") == "tYES":
                if company.switches.wrong_login is WrongLogin.LOGIN_FAILED:
                    raise SlError(401, 100000055, "User account is locked")
            elif hmac.compare_digest(stored, password_hash(user, password)):
                _note_wrong_logins(company, row, 0)
                return user
            else:
                _note_wrong_logins(company, row, _wrong_logins(row) + 1)
            break
    if company.switches.wrong_login is WrongLogin.SLD:
        raise SlError(401, -304, "Fail to get DB Credentials from SLD")
    raise SlError(401, 100000027, "Login failed")


def _wrong_logins(row: Fields) -> int:
    wrong_logins = row.get(_WRONG_LOGINS)
    return wrong_logins if isinstance(wrong_logins, int) else 0


def _note_wrong_logins(company: Company, row: Fields, count: int) -> None:
    limit = company.switches.logins_before_lock
    if not limit or count == _wrong_logins(row):
        return
    changed: Fields = {**row, _WRONG_LOGINS: count}
    if count >= limit:
        changed |= {"Locked": "tYES", _WRONG_LOGINS: 0}
    with company.transaction():
        company.database.put("Users", key_of(company.entity_set("Users"), row), changed)


def may_write(company: Company, set_name: str, user: str) -> bool:
    """Return whether a user may create, change or remove entities of a set.

    Superusers may. For the sets listed above, a normal user needs a right that no simulated user has. For
    stored queries SAP manual 1.29 says so (see `erpsim.stored_queries.rights`); for the others it follows
    from the defaults of the authorizations.
    """
    return set_name not in _SUPERUSER_OWN or company.is_superuser(user)
