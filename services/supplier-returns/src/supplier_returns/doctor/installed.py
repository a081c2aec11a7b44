"""Checks of the definitions that this service needs in the ERP: object, fields, queries, fence and rights."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from attrs import define

from erpclient.http.calls import Call, query_call
from erpclient.metadata import read_metadata
from erpclient.stored_queries import query_parameters
from erpdoctor.checks import Checks, Finding, Group, declares_check, fail, ok, skipped, warn
from erpdoctor.inspection.answers import ReadTrouble, read_trouble
from erpdoctor.service_layer.context import CheckContext
from erpdoctor.service_layer.faults import FAULTS, UNEXPECTED
from supplier_returns.execution.fence import FENCE_SET, PROOF, FenceMode, fence_key
from supplier_returns.metadata.definitions import Definitions, FieldGroup
from supplier_returns.planning.records.rows import OBJECT
from supplier_returns.saved_queries.installer import QueryState, installed_of
from supplier_returns.saved_queries.key_ranges import KeyRange
from supplier_returns.saved_queries.queries import STORED_QUERIES, StoredQuery
from supplier_returns.saved_queries.reader import EVERY_ITEM, query_values
from supplier_returns.settings.custom_fields import CustomFieldKind
from supplier_returns.settings.returns import Returns

RETURNS: Final = Group("returns", "docs/doctor-returns.md#returns")
_REBUILD: Final = (
    "Pida a un superusuario del ERP que reconstruya los metadatos (`supplier-returns metadata rebuild`, o "
    "POST /api/metadata/rebuild)."
)
_REBUILD_ENGLISH: Final = "Have an ERP superuser run `supplier-returns metadata rebuild`."
METADATA_UNREADABLE: Final = fail(
    "metadata_unreadable",
    "La descripción del Service Layer ($metadata) no se puede leer.",
    english="`$metadata` can't be read.",
    remedy="Revise si un intermediario (proxy) la corta, y reinicie el Service Layer si falla siempre.",
    english_remedy="Check whether a proxy cuts it off, and restart the Service Layer if it always fails.",
)
OBJECT_MISSING: Final = fail(
    "returns_object_missing",
    "El ERP no tiene, o el Service Layer no muestra todavía, el objeto LIB_ODEV de las planificaciones.",
    english="One is missing. Rebuild the metadata, or restart the Service Layer if it does not show it yet.",
    remedy=f"{_REBUILD} Si ya se hizo, reinicie el Service Layer.",
    english_remedy=f"{_REBUILD_ENGLISH} If that was done already, restart the Service Layer.",
)
FIELDS_MISSING: Final = fail(
    "returns_fields_missing",
    "Faltan campos de usuario que este servicio escribe.",
    english="Some fields are missing.",
    remedy=f"{_REBUILD} Si ya se hizo, reinicie el Service Layer.",
    english_remedy=f"{_REBUILD_ENGLISH} If that was done already, restart the Service Layer.",
)
RETURN_FIELDS_UNKNOWN: Final = fail(
    "return_fields_unknown",
    "La devolución no tiene campos que la configuración nombra: el ERP rechazaría cada devolución.",
    english="Some fields don't exist, so the ERP would refuse every return. Names are case-sensitive.",
    remedy="Corrija el nombre en la configuración, con sus mayúsculas, o cree el campo en el ERP.",
    english_remedy="Correct the name in the settings, in its letter case, or create the field in the ERP.",
    page="docs/returns.md#tax-documents",
)
RETURN_FIELDS_UNFIT: Final = fail(
    "return_fields_unfit",
    "Hay campos de la devolución configurados con un valor de otro tipo que el que tienen en el ERP.",
    english="A field has another type, for example a number instead of the configured text.",
    remedy="Corrija en RETURN_FIELDS si el valor es texto o número, o en RETURN_ASKED_FIELDS el tipo (type).",
    english_remedy="Correct in RETURN_FIELDS whether the value is a text or a number, or in "
    "RETURN_ASKED_FIELDS the type.",
    page="docs/returns.md#tax-documents",
)
QUERIES_FORBIDDEN: Final = fail(
    "queries_unreadable",
    "Este usuario no puede ver las consultas guardadas del ERP.",
    english="The user has no right to stored queries.",
    remedy="Dé al usuario la autorización «Service Layer SQL Query» del ERP; tarda un minuto.",
    english_remedy='Give the user the ERP\'s authorisation "Service Layer SQL Query"; it takes a minute.',
)
QUERIES_MISSING: Final = fail(
    "queries_missing",
    "Faltan consultas guardadas de este servicio en el ERP.",
    english="Some stored queries are missing.",
    remedy=_REBUILD,
    english_remedy=_REBUILD_ENGLISH,
)
QUERIES_OLDER: Final = warn(
    "queries_older",
    "Hay consultas guardadas de una versión anterior; las actualiza al entrar quien tenga el derecho.",
    english="Some queries have an older version. The next sign-in of a user with the right updates them.",
    remedy=_REBUILD,
    english_remedy=_REBUILD_ENGLISH,
)
QUERIES_NEWER: Final = fail(
    "queries_newer",
    "Hay consultas guardadas de una versión más nueva que la de este servicio.",
    english="Some queries have a newer version, because a newer installation uses the same company.",
    remedy="Actualice este servicio: otra instalación más nueva usa la misma sociedad.",
    english_remedy="Upgrade this service: a newer installation uses the same company.",
)
QUERIES_NOT_RUN: Final = fail(
    "queries_not_run",
    "Este usuario no puede ejecutar consultas guardadas de este servicio.",
    english="The user has no right to run stored queries.",
    remedy="Dé al usuario la autorización «Service Layer SQL Query» del ERP; tarda un minuto.",
    english_remedy='Give the user the ERP\'s authorisation "Service Layer SQL Query"; it takes a minute.',
)
QUERIES_REFUSED: Final = fail(
    "queries_refused",
    "El Service Layer rechaza la ejecución de consultas guardadas de este servicio.",
    english="The Service Layer refuses a query, because a table is not on its list of allowed tables.",
    remedy="Revise la lista de tablas permitidas (b1s_sqltable.conf), y reconstruya los metadatos.",
    english_remedy="Check the list of allowed tables (b1s_sqltable.conf), and rebuild the metadata.",
)
FENCE_UNPROVED: Final = skipped(
    "fence_not_proved",
    "Nadie ha comprobado todavía que el cerco sirve en esta sociedad; se ejecuta sin él.",
    english="The fence was never proved in this company. Executions don't use it.",
    remedy=_REBUILD,
    english_remedy=_REBUILD_ENGLISH,
)
FENCE_REQUIRED: Final = fail(
    "fence_required",
    "Hay una segunda instancia (HAS_BACKUP) y nadie comprobó el cerco: no se ejecuta ninguna devolución.",
    english="The fence was never proved, and `HAS_BACKUP` is set. Nothing is executed until it is proved.",
    remedy=f"{_REBUILD} Si tampoco así se comprueba, trabaje sin segunda instancia.",
    english_remedy=f"{_REBUILD_ENGLISH} If it can not be proved even so, work without a second instance.",
)
RIGHTS_MISSING: Final = fail(
    "rights_missing",
    "Este usuario no puede leer objetos que este servicio usa en su nombre.",
    english="The user has no right to some of them.",
    remedy="Dé al usuario, en las autorizaciones del ERP, el derecho a esos objetos.",
    english_remedy="Give the user the right to these objects, in the ERP's authorisations.",
)

READ: Final = (
    "PurchaseReturns",
    "PurchaseDeliveryNotes",
    "Drafts",
    "Warehouses",
    "Items",
    "BusinessPartners",
)
_KEYS: Final = {"Warehouses": "WarehouseCode", "Items": "ItemCode", "BusinessPartners": "CardCode"}
_RETURNS: Final = "PurchaseReturns"
_OWN_ENTITY_SETS: Final = {"ORPD": _RETURNS}
_EDM_TYPES: Final = {
    CustomFieldKind.TEXT: ("Edm.String", "Edm.Date", "Edm.Time"),
    CustomFieldKind.NUMBER: ("Edm.Int", "Edm.Double", "Edm.Decimal", "Edm.Single", "Edm.Byte"),
    CustomFieldKind.DATE: ("Edm.Date",),
}
"""Prefixes of the property types that accept values of a kind (`$metadata` of v1 and v2)."""
_LOGIN: Final = ("service-layer.login",)
_NO_WAREHOUSE: Final = "-"


@define(eq=False, repr=False)
class InstalledChecks(Checks):
    """Checks of the definitions that `rebuild` creates."""

    group = RETURNS
    faults = FAULTS

    _context: CheckContext
    _rules: Returns
    _needed: Definitions

    @declares_check(
        "metadata",
        "Descripción del Service Layer",
        METADATA_UNREADABLE,
        needs=_LOGIN,
        limit_s=30.0,
        english="`$metadata` can be read.",
    )
    async def _read_metadata(self) -> Finding:
        answer = await self._context.inspection.read("/$metadata", timeout_s=25.0)
        if not answer.good:
            return METADATA_UNREADABLE.found(status=answer.status)
        self._context.metadata = read_metadata(answer.body)
        return ok(sets=len(self._context.sets))

    @declares_check(
        "object",
        "Objeto LIB_ODEV y tabla del cerco",
        OBJECT_MISSING,
        needs=("metadata",),
        english="The object `LIB_ODEV` and the fence's table `LIB_CLAVE` exist and are visible.",
    )
    async def _object(self) -> Finding:
        missing = tuple(name for name in (OBJECT, FENCE_SET) if name not in self._context.sets)
        # The Service Layer may not show them yet, although the ERP has them.
        return OBJECT_MISSING.found(missing=missing) if missing else ok()

    @declares_check(
        "fields",
        "Campos de usuario",
        FIELDS_MISSING,
        needs=("object",),
        english="Every user field that this service writes is visible, including those of the object's "
        "tables.",
    )
    async def _fields(self) -> Finding:
        missing = tuple(name for group in self._needed.groups for name in self._missing_of(group))
        count = sum(len(group.fields) for group in self._needed.groups)
        return FIELDS_MISSING.found(fields=missing) if missing else ok(fields=count)

    def _missing_of(self, group: FieldGroup) -> Iterator[str]:
        shown = self._properties(group)
        for field in group.fields:
            if f"U_{field.name}" not in shown:
                yield f"{group.field_table}.U_{field.name}"

    def _properties(self, group: FieldGroup) -> frozenset[str]:
        if group.table is None:
            entity_set = self._context.sets.get(_OWN_ENTITY_SETS[group.field_table])
        elif group.table.name == self._needed.user_object.table:
            entity_set = self._context.sets.get(OBJECT)
        elif group.table.name in self._needed.user_object.children:
            return frozenset(self._context.metadata.properties_of(group.table.name))
        else:
            entity_set = self._context.sets.get(f"U_{group.table.name}")
        return frozenset() if entity_set is None else frozenset(entity_set.properties)

    @declares_check(
        "return-fields",
        "Campos de la devolución que se configuraron",
        RETURN_FIELDS_UNKNOWN,
        RETURN_FIELDS_UNFIT,
        needs=("metadata",),
        english="The fields of the return that the settings name exist and have the right type.",
    )
    async def _return_fields(self) -> Finding:
        entity_set = self._context.sets.get(_RETURNS)
        properties = {} if entity_set is None else entity_set.properties
        names = [name for each in self._rules.field_names.values() for name in each]
        unknown = tuple(name for name in names if name not in properties)
        if unknown:
            return RETURN_FIELDS_UNKNOWN.found(fields=unknown)
        kinds = {each.name: each.kind for each in self._rules.asked_fields or ()}
        for name, value in (self._rules.return_fields or {}).items():
            # A constant has the type of its JSON value.
            kinds[name] = CustomFieldKind.TEXT if isinstance(value, str) else CustomFieldKind.NUMBER
        unfit = tuple(name for name, kind in kinds.items() if not self._fits(kind, properties[name]))
        return RETURN_FIELDS_UNFIT.found(fields=unfit) if unfit else ok(fields=len(names))

    def _fits(self, kind: CustomFieldKind, edm_type: str) -> bool:
        """Return whether a property of this type accepts values of this kind. Enumerations accept texts."""
        if edm_type.startswith("Edm."):
            return edm_type.startswith(_EDM_TYPES[kind])
        # A type in parentheses is a collection.
        is_one_value = "(" not in edm_type and bool(edm_type)
        parts = self._context.metadata.properties_of(edm_type.rpartition(".")[2])
        return kind is CustomFieldKind.TEXT and is_one_value and not parts

    @declares_check(
        "queries",
        "Versión de las consultas guardadas",
        QUERIES_FORBIDDEN,
        QUERIES_MISSING,
        QUERIES_OLDER,
        QUERIES_NEWER,
        needs=_LOGIN,
        english="The [stored queries](docs/returns.md#execute) exist, at this program's version.",
    )
    async def _queries(self) -> Finding:
        condition = quote(" or ".join(f"SqlCode eq '{query.code}'" for query in STORED_QUERIES))
        answer = await self._context.read(f"/SQLQueries?$select=SqlCode,SqlName&$filter={condition}")
        if answer.status == HTTPStatus.FORBIDDEN:
            return QUERIES_FORBIDDEN.found()
        names = {str(row.get("SqlCode")): row.get("SqlName") for row in answer.rows()}
        states = {query.code: installed_of(query, names).state for query in STORED_QUERIES}
        for state, cause in (
            (QueryState.MISSING, QUERIES_MISSING),
            (QueryState.NEWER, QUERIES_NEWER),
            (QueryState.OLDER, QUERIES_OLDER),
        ):
            affected = tuple(code for code, each in states.items() if each is state)
            if affected:
                return cause.found(queries=affected)
        return ok(queries=len(states))

    @declares_check(
        "query-right",
        "Ejecución de las consultas guardadas",
        QUERIES_NOT_RUN,
        QUERIES_REFUSED,
        needs=("queries",),
        limit_s=5.0 * len(STORED_QUERIES),
        english="The user can run them.",
    )
    async def _query_right(self) -> Finding:
        forbidden, refused = [], []
        for query in STORED_QUERIES:
            answer = await self._context.inspection.run(_harmless(query))
            if answer.status == HTTPStatus.FORBIDDEN:
                forbidden.append(query.code)
            elif not answer.good:
                refused.append(query.code)
        if forbidden:
            return QUERIES_NOT_RUN.found(queries=tuple(forbidden))
        return QUERIES_REFUSED.found(queries=tuple(refused)) if refused else ok(queries=len(STORED_QUERIES))

    @declares_check(
        "fence",
        "Cerco contra devoluciones repetidas",
        FENCE_UNPROVED,
        FENCE_REQUIRED,
        needs=("object",),
        english="The [fence](docs/returns.md#execute), as `rebuild` proved it.",
    )
    async def _fence(self) -> Finding:
        mode = self._rules.execution_fence
        if mode != FenceMode.AUTO.value:
            return ok(mode=mode)
        answer = await self._context.read(f"/{FENCE_SET}{fence_key(PROOF)}?$select=Code")
        if answer.status == HTTPStatus.NOT_FOUND:
            has_backup = self._rules.has_backup
            return (FENCE_REQUIRED if has_backup else FENCE_UNPROVED).found(mode=mode)
        return ok(mode=mode, proved=True) if answer.good else UNEXPECTED.found(status=answer.status)

    @declares_check(
        "rights",
        "Lectura de lo que se usa del ERP",
        RIGHTS_MISSING,
        needs=_LOGIN,
        limit_s=5.0 * len(READ),
        english="The user can read returns, receipts, drafts, warehouses, items and partners.",
    )
    async def _rights(self) -> Finding:
        forbidden = []
        for name in READ:
            answer = await self._context.read(f"/{name}?$select={_KEYS.get(name, 'DocEntry')}&$top=1")
            if read_trouble(answer) is ReadTrouble.FORBIDDEN:
                forbidden.append(name)
            elif not answer.good:
                return UNEXPECTED.found(resource=name, status=answer.status)
        return RIGHTS_MISSING.found(resources=tuple(forbidden)) if forbidden else ok(read=len(READ))


def _harmless(query: StoredQuery) -> Call:
    """Build a run that finds no row except the count."""
    values = query_values(_NO_WAREHOUSE, EVERY_ITEM, KeyRange(0, 0))
    return query_call(query.code, query_parameters(values), page_size=1)
