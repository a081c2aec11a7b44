"""The layers (optional content) of several documents in one."""

from typing import Final

import pikepdf

from servicekit.pdfs.objects import dictionaries, items

_VIEW: Final = "/View"


class Layers:
    """The layers of several documents. Each layer stays separate, even if names are equal."""

    def __init__(self) -> None:
        self._groups: list[pikepdf.Object] = []
        self._parts = 0
        self._lists: dict[str, list[pikepdf.Object]] = {
            key: [] for key in ("/OFF", "/Order", "/RBGroups", "/Locked", "/AS")
        }
        self._intents: set[str] = {_VIEW}

    def add(self, properties: pikepdf.Object) -> None:
        """Add the layers of the next document with any.

        Args:
            properties: its `/OCProperties`, copied.
        """
        self._parts += 1
        groups = dictionaries(properties.get("/OCGs"))
        configuration = properties.get("/D")
        if not isinstance(configuration, pikepdf.Dictionary):
            configuration = pikepdf.Dictionary()
        self._groups += groups
        self._lists["/OFF"] += _switched_off(groups, configuration)
        for key in ("/RBGroups", "/Locked", "/AS"):
            self._lists[key] += items(configuration.get(key))
        if order := items(configuration.get("/Order")):
            self._lists["/Order"].append(pikepdf.Array([pikepdf.String(f"Documento {self._parts}"), *order]))
        self._intents |= _intents(configuration)

    def __bool__(self) -> bool:
        return bool(self._groups)

    def properties(self) -> pikepdf.Dictionary:
        """Return the `/OCProperties` of the joined document: a layer is on unless a part switches it off."""
        configuration = pikepdf.Dictionary(BaseState=pikepdf.Name.ON)
        for key, values in self._lists.items():
            if values:
                configuration[key] = pikepdf.Array(values)
        if len(self._intents) > 1:
            configuration.Intent = pikepdf.Array([pikepdf.Name(each) for each in sorted(self._intents)])
        return pikepdf.Dictionary(OCGs=pikepdf.Array(self._groups), D=configuration)


def _switched_off(groups: list[pikepdf.Object], configuration: pikepdf.Object) -> list[pikepdf.Object]:
    """Return the layers that a document shows as off when it opens (ISO 32000-2, 8.11.4.3)."""
    on, off = ({each.objgen for each in dictionaries(configuration.get(key))} for key in ("/ON", "/OFF"))
    is_off = configuration.get("/BaseState") == pikepdf.Name.OFF
    usable = _intents(configuration)
    return [
        each
        for each in groups
        if (each.objgen in off or (is_off and each.objgen not in on))
        and (usable & _intents(each) or "/All" in usable)
    ]


def _intents(holder: pikepdf.Object) -> set[str]:
    intent = holder.get("/Intent", pikepdf.Name.View)
    return {str(each) for each in (items(intent) or [intent])}
