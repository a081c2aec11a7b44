"""Settings of the return documents."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final, Literal

import msgspec
from attrs import frozen

from servicekit.config import (
    Parser,
    boolean,
    choice,
    integer,
    seconds,
    setting,
)
from servicekit.config.problems import Problem
from servicekit.endpoint import parse_json
from servicekit.endpoint.shapes import structure
from servicekit.erp.settings import user_field
from servicekit.errors import ServiceError
from supplier_returns.settings.custom_fields import CustomField, CustomFieldKind
from supplier_returns.settings.return_header import OWN_NAMES, FieldValue

MAX_FIELDS: Final = 20
"""Maximum fields of a return in one setting."""

_FIELD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,49}")
_KINDS: Final = {"text": CustomFieldKind.TEXT, "number": CustomFieldKind.NUMBER, "date": CustomFieldKind.DATE}
_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


@frozen(kw_only=True)
class CustomFieldEntry:
    """Entry of `RETURN_ASKED_FIELDS`."""

    name: str
    label: str
    type: Literal["text", "number", "date"] = "text"
    required: bool = False


def constant_fields() -> Parser[Mapping[str, FieldValue]]:
    """Return a parser for fields that have the same value in every return."""

    def decode(value: str) -> Mapping[str, FieldValue]:
        fields = _json(value)
        if not isinstance(fields, dict) or not all(map(_is_field, fields)):
            raise ValueError(value)
        if not 1 <= len(fields) <= MAX_FIELDS or not all(map(_is_constant, fields.values())):
            raise ValueError(value)
        return fields

    return Parser(
        decode,
        'a JSON object of at most 20 fields, each a text or a number, like {"U_TIPODESP":"2"}',
        'un objeto JSON de a lo más 20 campos, cada uno texto o número, como {"U_TIPODESP":"2"}',
        _json_text,
    )


def asked_fields() -> Parser[tuple[CustomField, ...]]:
    """Return a parser for fields that users fill in."""

    def decode(value: str) -> tuple[CustomField, ...]:
        try:
            entries = structure(_json(value), tuple[CustomFieldEntry, ...])
        except ServiceError as error:
            raise ValueError(value) from error
        if not 1 <= len(entries) <= MAX_FIELDS:
            raise ValueError(value)
        if not all(_is_field(each.name) and _is_constant(each.label) for each in entries):
            raise ValueError(value)
        return tuple(
            CustomField(name=each.name, label=each.label, kind=_KINDS[each.type], is_required=each.required)
            for each in entries
        )

    def encode(value: tuple[CustomField, ...]) -> str:
        types = {kind: word for word, kind in _KINDS.items()}
        return _json_text(
            [
                {
                    "name": each.name,
                    "label": each.label,
                    "type": types[each.kind],
                    "required": each.is_required,
                }
                for each in value
            ]
        )

    return Parser(
        decode,
        "a JSON list of at most 20 fields with name, label, type (text, number or date; unset: text) and "
        'required (unset: false), like [{"name":"U_PATENTE","label":"Patente","required":true}]',
        "una lista JSON de a lo más 20 campos con name, label, type (text, number o date; por omisión text) "
        'y required (por omisión false), como [{"name":"U_PATENTE","label":"Patente","required":true}]',
        encode,
    )


def _json(value: str) -> object:
    try:
        return parse_json(value.encode())
    except ServiceError as error:
        raise ValueError(value) from error


def _json_text(value: object) -> str:
    return _ENCODER.encode(value).decode()


def _is_field(name: str) -> bool:
    return _FIELD.fullmatch(name) is not None


def _is_constant(value: object) -> bool:
    if isinstance(value, str):
        return CustomField(name="", label="").problem_with(value) is None
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


@frozen(kw_only=True)
class Returns:
    """Returns.

    Names of fields are those of the Service Layer, with `U_` for user fields. You can't name a field twice,
    nor one that the service fills in itself: the start refuses it. See
    [Tax documents](returns.md#let-the-add-on-see-your-returns) for their purpose. In the configuration file,
    put a JSON value in single quotes.

    `UNCERTAIN_WAIT` must cover the time that a return can be in flight: at least three times `SL_TIMEOUT`. If
    `SL_TIMEOUT` is below 15 s, the minimum is twice `SL_TIMEOUT` plus 15 s; below 3.75 s it is six times
    `SL_TIMEOUT`. See [Execute](returns.md#execute).
    """

    max_lines_per_document: int = setting(
        "MAX_LINES_PER_DOCUMENT",
        help="Lines of one return. The tax document has room for 60.",
        parse=integer(1, 60),
        default=60,
    )
    field_ind_traslado: str | None = setting(
        "FIELD_IND_TRASLADO",
        help="Existing user field of the return for the kind of transport. Unset: not sent.",
        parse=user_field(),
        default=None,
    )
    field_tipo_despacho: str | None = setting(
        "FIELD_TIPO_DESPACHO",
        help="Existing user field of the return for the kind of dispatch. Unset: not sent.",
        parse=user_field(),
        default=None,
    )
    return_fields: Mapping[str, FieldValue] | None = setting(
        "RETURN_FIELDS",
        help="Header fields that have the same value in every return.",
        parse=constant_fields(),
        default=None,
    )
    asked_fields: tuple[CustomField, ...] | None = setting(
        "RETURN_ASKED_FIELDS",
        help="Header fields of the return that a user fills in once for each planning.",
        parse=asked_fields(),
        default=None,
    )
    execution_fence: str = setting(
        "EXECUTION_FENCE",
        help="Add a fence row to each return. auto: only once the ERP has proved that it helps.",
        parse=choice("auto", "on", "off"),
        default="auto",
    )
    uncertain_wait_s: float = setting(
        "UNCERTAIN_WAIT",
        help="Seconds after which a return without a response may be sent again if lookups find nothing.",
        parse=seconds(1, 3600),
        default=180.0,
    )
    has_backup: bool = setting(
        "HAS_BACKUP",
        help="Say that a second instance may take over. Returns are then made only with the proved fence.",
        parse=boolean(),
        default=False,
    )

    @property
    def field_names(self) -> Mapping[str, tuple[str, ...]]:
        """Fields of the return by the setting that names them."""
        return {
            "FIELD_IND_TRASLADO": (self.field_ind_traslado,) if self.field_ind_traslado else (),
            "FIELD_TIPO_DESPACHO": (self.field_tipo_despacho,) if self.field_tipo_despacho else (),
            "RETURN_FIELDS": tuple(self.return_fields or ()),
            "RETURN_ASKED_FIELDS": tuple(each.name for each in self.asked_fields or ()),
        }

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions between settings."""
        used_names = {
            name.casefold(): ("which this service fills in itself", "que llena este servicio")
            for name in OWN_NAMES
        }
        for setting_name, names in self.field_names.items():
            for name in names:
                if name.casefold() in used_names:
                    why, por_que = used_names[name.casefold()]
                    yield Problem(
                        setting_name,
                        f"names {name}, {why}; allowed: another field",
                        f"nombra {name}, {por_que}; se admite: otro campo",
                    )
                used_names[name.casefold()] = (
                    f"which {setting_name} names already",
                    f"que {setting_name} ya nombra",
                )
        # Only `auto` proves the fence, which a second instance requires.
        if self.has_backup and self.execution_fence != "auto":
            yield Problem(
                "EXECUTION_FENCE",
                f"{self.execution_fence} proves nothing, which HAS_BACKUP asks for; allowed: auto",
                f"{self.execution_fence} no comprueba nada, y HAS_BACKUP lo exige; se admite: auto",
            )
