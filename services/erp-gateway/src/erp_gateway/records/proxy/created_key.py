"""The key of a record that was just created, read from the ERP's answer."""

from collections.abc import Mapping
from typing import Final

import msgspec
from attrs import frozen

from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.declarations.resource import key_parts
from erpclient.odata import CompositeKey, DateKey, EntityKey, IntKey, InvalidKey, StrKey
from erpclient.odata.keys import SimpleKey

_DECODER: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_DRAFT_KEY: Final = IntKey("DocEntry")
"""Lookups search drafts even if they are not registered."""

_DAY_LENGTH: Final = len("2024-01-31")


def created_key(key: EntityKey, body: bytes) -> str | None:
    """Return the key of the record in `body` as a client writes it.

    Never raises: the record exists, so an odd response must not look like a failure.

    Args:
        key: the declared key of the resource.
        body: a JSON object.

    Returns:
        the key, or None if the response does not hold it.
    """
    try:
        record = _DECODER.decode(body)
        if isinstance(key, CompositeKey):
            return ",".join(f"{part.name}={part.literal(_value(part, record))}" for part in key.parts)
        if isinstance(key, IntKey | StrKey | DateKey):
            text = _value(key, record)
            key.literal(text)
            return text
    except (msgspec.DecodeError, InvalidKey, KeyError):
        pass
    return None


@frozen
class ResourceKeys:
    """Keys of registered resources, found by the resource's name."""

    registry: Registry

    def names(self, resource: str) -> tuple[str, ...] | None:
        """Return the properties of the key; None for a resource that is no longer registered."""
        key = self._key(resource)
        return None if key is None else tuple(part.name for part in key_parts(key))

    def read(self, resource: str, record: bytes) -> str | None:
        """Return the key of a record as a client writes it."""
        key = self._key(resource)
        return None if key is None else created_key(key, record)

    def check(self, resource: str, key: str) -> None:
        """Refuse a key that no record of the resource can have. Accept any key of an unregistered resource.

        Raises:
            InvalidKey: no record can have the key.
        """
        declared = self._key(resource)
        if declared is not None:
            declared.predicate(key)

    def _key(self, resource: str) -> EntityKey | None:
        target = self.registry.find(resource)
        if target is None:
            return _DRAFT_KEY if resource == "Drafts" else None
        return target.resource.key


def _value(part: SimpleKey, record: Mapping[str, msgspec.Raw]) -> str:
    text = str(msgspec.json.decode(record[part.name], type=int | str))
    # Newer builds of the ERP add a time to dates.
    return text[:_DAY_LENGTH] if isinstance(part, DateKey) else text
