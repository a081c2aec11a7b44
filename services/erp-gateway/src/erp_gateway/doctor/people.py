"""Checks of the people who sign in: web users of employees, and their permissions.

The checks read no password. The ERP counts the empty ones.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from enum import Enum
from typing import Final
from urllib.parse import quote

from attrs import define, field, frozen

from erp_gateway.people.permissions.patterns import EVERYTHING
from erp_gateway.people.permissions.store import Permission
from erpdoctor.checks import STEP_LIMIT_S, Checks, Finding, Group, declares_check, fail, ok, warn
from erpdoctor.inspection.answers import ReadTrouble, read_trouble
from erpdoctor.service_layer.context import CheckContext
from erpdoctor.service_layer.faults import FAULTS

PEOPLE: Final = Group("people", "docs/doctor.md#people")

UNREADABLE: Final = fail(
    "employees_unreadable",
    "El usuario del ERP no puede leer los empleados: nadie puede entrar.",
    english="The account lacks the right to read employees: no user can sign in.",
    remedy="Dé al usuario de ERP_SL_USER el derecho a leer los datos maestros de empleados.",
    english_remedy="Give the user of ERP_SL_USER the right to read employee master data.",
)
NOBODY: Final = fail(
    "no_web_users",
    "Ningún empleado tiene usuario web: nadie puede entrar.",
    english="No active employee has one: no user can sign in.",
    remedy="Escriba U_WEB_USER y U_WEB_PASS en los empleados que deban entrar.",
    english_remedy="Fill U_WEB_USER and U_WEB_PASS for the employees who shall sign in.",
)
TOO_MANY: Final = warn(
    "too_many_web_users",
    "Hay más usuarios web de los que se revisan; el resto no se miró.",
    english="There are more than 2000. The others were not checked.",
    remedy="Revise los demás en el ERP con una consulta sobre OHEM.",
    english_remedy="Check the others in the ERP with a query on OHEM.",
)
DUPLICATES: Final = warn(
    "duplicate_web_users",
    "Varios empleados activos comparten el mismo usuario web: ninguno de ellos puede entrar.",
    english="Some do, and can't sign in. The terminal lists the employees' numbers.",
    remedy="Cambie U_WEB_USER para que cada empleado activo tenga uno distinto.",
    english_remedy="Change U_WEB_USER so that each active employee has a different one.",
)
EMPTY_PASSWORDS: Final = warn(
    "empty_passwords",
    "Hay usuarios web activos sin contraseña: no pueden entrar.",
    english="Some have none.",
    remedy="Escriba U_WEB_PASS en esos empleados, o quíteles U_WEB_USER.",
    english_remedy="Fill U_WEB_PASS for these employees, or clear their U_WEB_USER.",
)
OF_NOBODY: Final = warn(
    "permissions_of_nobody",
    "Hay permisos de usuarios web que ya no existen o no están activos.",
    english="Some don't.",
    remedy="Quítelos con `erp-gateway permissions revoke USUARIO --all`.",
    english_remedy="Remove them with `erp-gateway permissions revoke USER --all`.",
)
NO_ADMINISTRATOR: Final = fail(
    "no_active_administrator",
    "Nadie tiene el permiso de administrador: nadie puede administrar.",
    english="No user has the permission.",
    remedy="Nombre uno con `erp-gateway permissions grant USUARIO '*'`, o en ADMIN_WEB_USERS.",
    english_remedy="Name one with `erp-gateway permissions grant USER '*'`, or in ADMIN_WEB_USERS.",
)
ADMINISTRATOR_SHARED: Final = fail(
    "administrator_shared",
    "Quien administra no puede entrar, porque varios empleados activos comparten su usuario web.",
    english="All are locked out, because several active employees have that web user. Correct the "
    "web users. No other user needs the permission.",
    remedy="Cambie U_WEB_USER en los otros empleados que lo tienen; no hace falta nombrar a nadie más.",
    english_remedy="Change U_WEB_USER of the other employees who have it; nobody else has to be named.",
)
ADMINISTRATOR_INACTIVE: Final = fail(
    "administrator_inactive",
    "Quien administra no puede entrar, porque su empleado no está activo.",
    english="All are locked out, because their employees are not active.",
    remedy="Active a ese empleado en el ERP; si se fue, `erp-gateway permissions grant` a quien lo "
    "reemplaza.",
    english_remedy="Activate that employee in the ERP; if they left, `erp-gateway permissions grant` "
    "to their successor.",
)
ADMINISTRATOR_UNKNOWN: Final = fail(
    "administrator_unknown",
    "Quien administra no puede entrar, porque ningún empleado tiene ese usuario web.",
    english="All are locked out, because no employee has their web users.",
    remedy="Escriba ese usuario en U_WEB_USER de su empleado, o corrija el nombre (permiso o "
    "ADMIN_WEB_USERS).",
    english_remedy="Put that user into U_WEB_USER of their employee, or correct the name (permission "
    "or ADMIN_WEB_USERS).",
)

ADMINISTRATOR_MISSPELT: Final = warn(
    "administrator_not_in_erp",
    "ADMIN_WEB_USERS nombra a alguien que ningún empleado tiene como usuario web.",
    english="One can, but `ADMIN_WEB_USERS` also names a web user that no employee has.",
    remedy="Corrija ese nombre, o quítelo: quien reciba después ese usuario web administraría.",
    english_remedy="Correct that name, or remove it: whoever gets this web user later would administer.",
)

_PAGE: Final = 500
_MOST_PAGES: Final = 4
_WITH_USER: Final = "U_WEB_USER ne null and U_WEB_USER ne ''"
_WITHOUT_PASSWORD: Final = f"{_WITH_USER} and Active eq 'tYES' and (U_WEB_PASS eq null or U_WEB_PASS eq '')"


@frozen
class WebUser:
    """An employee who has a web user.

    Attributes:
        employee: number of the employee.
        name: the web user.
        active: whether the employee is active.
    """

    employee: str
    name: str
    active: bool


def shared_names(users: list[WebUser]) -> tuple[str, ...]:
    """Return the names that several active employees have."""
    counted = Counter(user.name for user in users if user.active)
    return tuple(sorted(name for name, times in counted.items() if times > 1))


class SignInStatus(Enum):
    """Result of looking a name up among the employees; the value is shown in Spanish."""

    ABLE = "puede entrar"
    SHARED = "usuario web repetido"
    INACTIVE = "empleado inactivo"
    UNKNOWN = "de ningún empleado"


def sign_in_status(name: str, users: list[WebUser]) -> SignInStatus:
    """Look a name up among the employees."""
    active = [user.active for user in users if user.name == name]
    if not active:
        return SignInStatus.UNKNOWN
    match sum(active):
        case 0:
            return SignInStatus.INACTIVE
        case 1:
            return SignInStatus.ABLE
        case _:
            return SignInStatus.SHARED


# Reasons why no administrator can sign in. The easiest one to fix comes first.
_ADMINISTRATOR_CAUSES: Final = {
    SignInStatus.SHARED: ADMINISTRATOR_SHARED,
    SignInStatus.INACTIVE: ADMINISTRATOR_INACTIVE,
    SignInStatus.UNKNOWN: ADMINISTRATOR_UNKNOWN,
}


def judge_administrators(granted: Iterable[str], users: list[WebUser]) -> Finding:
    """Check that at least one user with the administrator permission can sign in."""
    statuses = {name: sign_in_status(name, users) for name in sorted(granted)}
    summary = ", ".join(f"{name} ({status.value})" for name, status in statuses.items())
    present = set(statuses.values())
    figures = {
        "granted": len(statuses),
        "able": sum(each is SignInStatus.ABLE for each in statuses.values()),
    }
    if SignInStatus.ABLE in present:
        return ok(summary, **figures)
    cause = next(
        (cause for status, cause in _ADMINISTRATOR_CAUSES.items() if status in present), NO_ADMINISTRATOR
    )
    return cause.found(summary, **figures)


@define(eq=False, repr=False)
class PeopleChecks(Checks):
    """Compare web users with each other and with the permissions.

    Args:
        context: shared session of the run.
        administrators: web users in `ADMIN_WEB_USERS`.
        permissions: reads all permissions from the store; called only if `store.version` passed.
    """

    group = PEOPLE
    faults = FAULTS

    _context: CheckContext
    _administrator_names: Collection[str] = field(alias="administrators")
    _read_permissions: Callable[[], Awaitable[Mapping[str, Permission]]] = field(alias="permissions")
    _users: list[WebUser] = field(init=False, factory=list)
    _complete: bool = field(init=False, default=True)

    @declares_check(
        "web-users",
        "Usuarios web",
        UNREADABLE,
        NOBODY,
        TOO_MANY,
        needs=("service-layer.web-fields",),
        limit_s=_MOST_PAGES * STEP_LIMIT_S,
        english="Employees with a web user.",
    )
    async def _web_users(self) -> Finding:
        for page in range(_MOST_PAGES):
            path = (
                "/EmployeesInfo?$select=EmployeeID,U_WEB_USER,Active&$orderby=EmployeeID"
                f"&$filter={quote(_WITH_USER)}&$top={_PAGE}&$skip={page * _PAGE}"
            )
            answer = await self._context.read(path, B1S_PageSize=str(_PAGE))
            if read_trouble(answer) is ReadTrouble.FORBIDDEN:
                return UNREADABLE.found()
            rows = answer.rows()
            self._users += [
                WebUser(
                    str(row.get("EmployeeID")),
                    str(row.get("U_WEB_USER") or ""),
                    row.get("Active") in ("tYES", "Y"),
                )
                for row in rows
            ]
            if len(rows) < _PAGE:
                break
        else:
            self._complete = False
            return TOO_MANY.found(users=len(self._users))
        active = sum(user.active for user in self._users)
        return ok(users=len(self._users), active=active) if active else NOBODY.found()

    @declares_check(
        "duplicates",
        "Usuarios repetidos",
        DUPLICATES,
        needs=("web-users",),
        english="No two active employees share a web user.",
    )
    async def _duplicates(self) -> Finding:
        shared = shared_names(self._users)
        summary = "; ".join(f"{name} (empleados {self._employees(name)})" for name in shared)
        return DUPLICATES.found(summary, names=len(shared)) if shared else ok()

    def _employees(self, name: str) -> str:
        return ", ".join(user.employee for user in self._users if user.active and user.name == name)

    @declares_check(
        "passwords",
        "Contraseñas vacías",
        EMPTY_PASSWORDS,
        needs=("web-users",),
        english="Active web users have a password.",
    )
    async def _passwords(self) -> Finding:
        answer = await self._context.read(f"/EmployeesInfo/$count?$filter={quote(_WITHOUT_PASSWORD)}")
        empty = int(answer.value())
        return EMPTY_PASSWORDS.found(employees=empty) if empty else ok()

    @declares_check(
        "permissions",
        "Permisos de quien ya no está",
        OF_NOBODY,
        needs=("web-users", "store.version"),
        english="Permissions belong to active employees.",
    )
    async def _permissions(self) -> Finding:
        active_names = {user.name for user in self._users if user.active}
        gone = sorted(set(await self._paths()) - active_names)
        if gone and self._complete:
            return OF_NOBODY.found(", ".join(gone), entries=len(gone))
        return ok()

    @declares_check(
        "administrators",
        "Administradores",
        NO_ADMINISTRATOR,
        *_ADMINISTRATOR_CAUSES.values(),
        ADMINISTRATOR_MISSPELT,
        needs=("web-users", "store.version"),
        english="An administrator can sign in: `granted` have the permission, `able` of them can sign in.",
    )
    async def _administrators(self) -> Finding:
        paths = await self._paths()
        granted = {name for name, each in paths.items() if EVERYTHING in each}
        granted |= set(self._administrator_names)
        if not self._complete:
            return ok(granted=len(granted))
        found = judge_administrators(granted, self._users)
        unknown = [
            name
            for name in self._administrator_names
            if sign_in_status(name, self._users) is SignInStatus.UNKNOWN
        ]
        if found.cause is None and unknown:
            return ADMINISTRATOR_MISSPELT.found(", ".join(sorted(unknown)), names=len(unknown))
        return found

    async def _paths(self) -> dict[str, tuple[str, ...]]:
        return {name: each.paths for name, each in (await self._read_permissions()).items()}
