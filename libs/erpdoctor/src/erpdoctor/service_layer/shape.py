"""The metadata of the company, compared with the requirements of this service."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final
from urllib.parse import quote

from attrs import define, field, frozen

from erpclient.errors import ErpError
from erpclient.metadata import EntityFacts, read_metadata
from erpclient.odata import CompositeKey, DateKey, EntityKey, IntKey, StrKey
from erpdoctor.checks import Checks, Finding, Group, declares_check, fail, ok, skipped, warn
from erpdoctor.service_layer.context import CheckContext
from erpdoctor.service_layer.faults import FAULTS

METADATA_UNREADABLE: Final = fail(
    "metadata_unreadable",
    "No se pudo leer la descripción ($metadata) del Service Layer.",
    english="It can't be read, or is truncated.",
    remedy="Revise si un intermediario corta las respuestas grandes; si no, reinicie el Service Layer.",
    english_remedy="Check whether a proxy cuts large responses off; if not, restart the Service Layer.",
)
SETS_MISSING: Final = fail(
    "sets_missing",
    "Hay recursos registrados que este Service Layer no tiene.",
    english="Some don't exist, or have another spelling. Letter case counts.",
    remedy="Actualice el ERP, o quite o corrija esos recursos en la extensión que los declara.",
    english_remedy="Upgrade the ERP, or remove or correct these resources in the extension that "
    "declares them.",
    page="docs/resources.md",
)
KEYS_DIFFER: Final = fail(
    "keys_differ",
    "La clave de un recurso registrado no es la del ERP.",
    english="Some differ. `erp` shows the ERP's. Further checks skip these resources.",
    remedy="Corrija la clave del recurso en la extensión que lo declara: al lado está la del ERP.",
    english_remedy="Correct the resource's key in the extension that declares it; the ERP's stands "
    "beside it.",
    page="docs/reports-and-queries.md#extensions",
)
PROPERTIES_MISSING: Final = warn(
    "properties_missing",
    "El ERP no tiene propiedades que este servicio muestra o expande.",
    english="Some don't exist.",
    remedy="Actualice el ERP, o quite esas columnas en la extensión que las declara.",
    english_remedy="Upgrade the ERP, or remove these columns in the extension that declares them.",
    page="docs/resources.md",
)
SECRET_FIELDS_UNKNOWN: Final = fail(
    "secret_fields_unknown",
    "El ERP no tiene, escritos así, campos que una extensión oculta (secret_fields).",
    english="Some don't exist. A misspelt name hides no field.",
    remedy="Escriba esos nombres como el ERP: un campo que se llama de otra manera sigue a la vista.",
    english_remedy="Spell these names as the ERP does: a field with another name stays visible.",
    page="docs/reports-and-queries.md#extensions",
)
WEB_FIELDS_MISSING: Final = fail(
    "web_fields_missing",
    "Los empleados del ERP no tienen los campos de usuario del inicio de sesión web: nadie puede entrar.",
    english="They don't: no user can sign in.",
    remedy="Cree en la tabla de empleados (OHEM) los campos alfanuméricos U_WEB_USER, de 50 caracteres, y "
    "U_WEB_PASS, de 254.",
    english_remedy="Create the alphanumeric fields U_WEB_USER (50 characters) and U_WEB_PASS (254) "
    "in the table of employees (OHEM).",
)
WEB_FIELDS_ODD: Final = fail(
    "web_fields_odd",
    "Los campos de usuario del inicio de sesión web no son de texto.",
    english="They are not texts.",
    remedy="Cree los campos U_WEB_USER y U_WEB_PASS de nuevo como alfanuméricos.",
    english_remedy="Create the fields U_WEB_USER and U_WEB_PASS again, as alphanumeric ones.",
)
TRACE_FIELD_MISSING: Final = fail(
    "trace_field_missing",
    "El campo de WRITE_TRACE_FIELD no existe en los documentos del ERP: no se podrán crear documentos.",
    english="It does not exist: creating documents would fail.",
    remedy="Cree ese campo de usuario en los documentos de marketing, o quite WRITE_TRACE_FIELD.",
    english_remedy="Create that user field in marketing documents, or remove WRITE_TRACE_FIELD.",
    page="docs/api.md#the-ledger",
)
TRACE_FIELD_ODD: Final = fail(
    "trace_field_odd",
    "El campo de WRITE_TRACE_FIELD no es alfanumérico: no se podrán crear documentos.",
    english="It is not alphanumeric.",
    remedy="Cree otro campo alfanumérico de 26 caracteres o más, y nómbrelo en WRITE_TRACE_FIELD.",
    english_remedy="Create another alphanumeric field of 26 characters or more, and name it in "
    "WRITE_TRACE_FIELD.",
    page="docs/api.md#the-ledger",
)
TRACE_FIELD_SHORT: Final = fail(
    "trace_field_short",
    "El campo de WRITE_TRACE_FIELD tiene menos de 26 caracteres: no se podrán crear documentos.",
    english="It is shorter.",
    remedy="Aumente en el ERP el largo de ese campo a 26 caracteres o más.",
    english_remedy="Enlarge that field in the ERP to 26 characters or more.",
    page="docs/api.md#the-ledger",
)
NO_TRACE_FIELD: Final = skipped(
    "not_configured", "WRITE_TRACE_FIELD no está configurado.", english="`WRITE_TRACE_FIELD` is not set."
)
# Limit of characters of a name in the JSON.
_WORD: Final = 80
_TEXT: Final = "Edm.String"
# Length of a write's number, which must fit into the field.
_WRITE_LETTERS: Final = 26
# All marketing documents share the user fields of their headers, so checking one table is enough.
_ORDERS_TABLE: Final = "ORDR"
_METADATA_S: Final = 15.0
_KEYS: Final = (IntKey, StrKey, DateKey)
_TYPES: Final = {
    IntKey: ("Edm.Int32", "Edm.Int16", "Edm.Int64", "Edm.Byte"),
    StrKey: (_TEXT,),
    DateKey: ("Edm.DateTime", "Edm.DateTimeOffset", "Edm.Date"),
}


@frozen(kw_only=True)
class ExpectedSet:
    """Requirements of a service for an entity set.

    Attributes:
        name: of the set.
        key: its key.
        shown: properties that are shown or may be expanded.
        secret_fields: names that are hidden everywhere.
        expands: whether records of other types may come along.
        read: whether it is read at all.
        tagged: whether its records carry tags.
        traced: whether a new record has the number of its write.
    """

    name: str
    key: EntityKey
    shown: tuple[str, ...]
    secret_fields: frozenset[str]
    expands: bool
    read: bool
    tagged: bool
    traced: bool

    @property
    def key_types(self) -> Mapping[str, tuple[str, ...]]:
        """The types that each property of the key may have."""
        parts = self.key.parts if isinstance(self.key, CompositeKey) else (self.key,)
        return {part.name: _TYPES[type(part)] for part in parts if isinstance(part, _KEYS)}

    def fits(self, facts: EntityFacts) -> bool:
        """Return whether the metadata has this key with its types."""
        types = self.key_types
        return types.keys() == set(facts.key) and all(
            facts.properties.get(name) in allowed for name, allowed in types.items()
        )


def judge_definition(name: str, definition: Mapping[str, Any] | None) -> Finding:
    """Check that a write's number fits into a field of the company; None if the definition is unknown."""
    if definition is None:
        return ok(f"{name}; su largo no se pudo leer")
    if definition.get("Type") != "db_Alpha":
        return TRACE_FIELD_ODD.found(name)
    sizes = [size for size in (definition.get("Size"), definition.get("EditSize")) if isinstance(size, int)]
    letters = min((size for size in sizes if size), default=_WRITE_LETTERS)
    return (TRACE_FIELD_SHORT.found if letters < _WRITE_LETTERS else ok)(name, letters=letters)


def _key_of(facts: EntityFacts) -> tuple[str, ...]:
    return tuple(f"{name}:{facts.properties.get(name, '').removeprefix('Edm.')}" for name in facts.key)


def _with_likes(names: Iterable[str], candidates: Iterable[str]) -> str:
    folded = {name.casefold(): name for name in sorted(candidates)}
    descriptions = []
    for name in names:
        like = get_close_matches(name.casefold(), folded, 1)
        descriptions.append(f"{name} (¿{folded[like[0]]}?)" if like else name)
    return ", ".join(descriptions)


@define(eq=False, repr=False)
class ShapeChecks(Checks):
    """Reads the metadata once and compares the requirements of a service with it.

    Args:
        context: of the run.
        group: to which the checks belong.
        expected: the entity sets.
        trace_field: user field of documents for the number of a write; None without one.
    """

    faults = FAULTS

    _context: CheckContext
    group: Group
    _expected: Sequence[ExpectedSet]
    _traced_by: str | None = field(alias="trace_field")

    @declares_check(
        "metadata",
        "Descripción del Service Layer",
        METADATA_UNREADABLE,
        needs=("login",),
        limit_s=_METADATA_S,
        english="`$metadata` can be read.",
    )
    async def _metadata(self) -> Finding:
        answer = await self._context.read("/$metadata")
        if not answer.good:
            return METADATA_UNREADABLE.found(status=answer.status)
        try:
            self._context.metadata = await asyncio.to_thread(read_metadata, answer.body)
        except ErpError:
            return METADATA_UNREADABLE.found(status=answer.status)
        return ok(sets=len(self._context.sets))

    def _existing_sets(self) -> Iterator[tuple[ExpectedSet, EntityFacts]]:
        for expected in self._expected:
            if expected.name in self._context.sets:
                yield expected, self._context.sets[expected.name]

    @declares_check(
        "sets",
        "Recursos registrados",
        SETS_MISSING,
        needs=("metadata",),
        english="Each [registered resource](docs/resources.md) exists.",
    )
    async def _sets(self) -> Finding:
        missing = tuple(each.name for each in self._expected if each.name not in self._context.sets)
        if missing:
            return SETS_MISSING.found(_with_likes(missing, self._context.sets), missing=missing)
        return ok(resources=len(self._expected))

    @declares_check(
        "keys",
        "Claves de los recursos",
        KEYS_DIFFER,
        needs=("metadata",),
        english="Keys and their types are as registered.",
    )
    async def _keys(self) -> Finding:
        deviating = tuple(
            expected.name for expected, facts in self._existing_sets() if not expected.fits(facts)
        )
        if not deviating:
            return ok()
        keys = {name: _key_of(self._context.sets[name]) for name in deviating}
        summary = "; ".join(f"{name}: {', '.join(key)}" for name, key in keys.items())
        erp = tuple(f"{name}/{part}" for name, key in keys.items() for part in key)
        return KEYS_DIFFER.found(f"en el ERP {summary}", resources=deviating, erp=erp)

    @declares_check(
        "properties",
        "Propiedades que se muestran",
        PROPERTIES_MISSING,
        needs=("metadata",),
        english="The properties that pages show and expand exist.",
    )
    async def _properties(self) -> Finding:
        missing = tuple(
            f"{expected.name}/{name}"
            for expected, facts in self._existing_sets()
            for name in expected.shown
            if name not in facts.properties
        )
        return PROPERTIES_MISSING.found(missing=missing) if missing else ok()

    @declares_check(
        "secret-fields",
        "Campos ocultos",
        SECRET_FIELDS_UNKNOWN,
        needs=("metadata",),
        english="The fields that extensions hide (`secret_fields`) exist with this spelling in the "
        "records, inside them, or in what can be expanded.",
    )
    async def _secret_fields(self) -> Finding:
        metadata = self._context.metadata
        missing: list[str] = []
        fields: list[str] = []
        for expected, facts in self._existing_sets():
            # The target of `expand` may be of any type.
            names = metadata.property_names if expected.expands else metadata.names_within(facts.type_name)
            unknown = tuple(sorted(expected.secret_fields - names))
            missing += [f"{expected.name}/{name}"[:_WORD] for name in unknown]
            fields += [f"{expected.name}: {_with_likes(unknown, names)}"] if unknown else []
        if missing:
            return SECRET_FIELDS_UNKNOWN.found("; ".join(fields), missing=tuple(missing))
        return ok()

    @declares_check(
        "web-fields",
        "Campos del inicio de sesión web",
        WEB_FIELDS_MISSING,
        WEB_FIELDS_ODD,
        needs=("metadata",),
        english="Employees have `U_WEB_USER` and `U_WEB_PASS`.",
    )
    async def _web_fields(self) -> Finding:
        facts = self._context.sets.get("EmployeesInfo")
        types = {} if facts is None else facts.properties
        required = ("U_WEB_USER", "U_WEB_PASS")
        missing = tuple(name for name in required if name not in types)
        if missing:
            return WEB_FIELDS_MISSING.found(missing=missing)
        deviating = tuple(name for name in required if types[name] != _TEXT)
        return WEB_FIELDS_ODD.found(fields=deviating) if deviating else ok()

    @declares_check(
        "trace-field",
        "Campo de WRITE_TRACE_FIELD",
        TRACE_FIELD_MISSING,
        TRACE_FIELD_ODD,
        TRACE_FIELD_SHORT,
        NO_TRACE_FIELD,
        needs=("metadata",),
        english="The field of `WRITE_TRACE_FIELD` exists in every document that it is written to, and "
        "holds a text of 26 characters. `letters` is its length according to `UserFieldsMD`, if "
        "the user can read that.",
    )
    async def _trace_field(self) -> Finding:
        name = self._traced_by
        if name is None:
            return NO_TRACE_FIELD.found()
        traced = [(each.name, facts.properties) for each, facts in self._existing_sets() if each.traced]
        without = tuple(resource for resource, types in traced if name not in types)
        if without:
            return TRACE_FIELD_MISSING.found(name, resources=without)
        if any(types[name] != _TEXT for _, types in traced):
            return TRACE_FIELD_ODD.found(name)
        return judge_definition(name, await self._definition(name))

    async def _definition(self, field: str) -> Mapping[str, Any] | None:
        """Return the company's definition of a field of its documents, or None without the right."""
        alone = f"TableName eq '{_ORDERS_TABLE}' and Name eq '{field.removeprefix('U_')}'"
        try:
            rows = (await self._context.read(f"/UserFieldsMD?$filter={quote(alone)}")).rows()
        except ErpError:
            return None
        return next(iter(rows), None)
