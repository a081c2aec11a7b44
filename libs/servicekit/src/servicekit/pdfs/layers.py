"""The layers (optional content) of several documents in one."""

from typing import Final

import pikepdf

from servicekit.pdfs.objects import dictionaries, items

_VIEW: Final = "/View"


class Layers:
    """The layers of several documents, each layer by itself, also where names are the same."""

    def __init__(self) -> None:
        self._groups: list[pikepdf.Object] = []
        self._parts = 0
        self._lists: dict[str, list[pikepdf.Object]] = {
            key: [] for key in ("/OFF", "/Order", "/RBGroups", "/Locked", "/AS")
        }
        self._intents: set[str] = {_VIEW}

    def add(self, properties: pikepdf.Object) -> None:
        """Take the layers of the next document that has any.

        Args:
            properties: Its `/OCProperties`, copied.
        """
        self._parts += 1
        groups = dictionaries(properties.get("/OCGs"))
        shown = properties.get("/D")
        if not isinstance(shown, pikepdf.Dictionary):
            shown = pikepdf.Dictionary()
        self._groups += groups
        self._lists["/OFF"] += _switched_off(groups, shown)
        for key in ("/RBGroups", "/Locked", "/AS"):
            self._lists[key] += items(shown.get(key))
        if order := items(shown.get("/Order")):
            self._lists["/Order"].append(pikepdf.Array([pikepdf.String(f"Documento {self._parts}"), *order]))
        self._intents |= _intents(shown)

    def __bool__(self) -> bool:
        return bool(self._groups)

    def properties(self) -> pikepdf.Dictionary:
        """Return the `/OCProperties` of the joined document: on is what no part switches off."""
        shown = pikepdf.Dictionary(BaseState=pikepdf.Name.ON)
        for key, values in self._lists.items():
            if values:
                shown[key] = pikepdf.Array(values)
        if len(self._intents) > 1:
            shown.Intent = pikepdf.Array([pikepdf.Name(each) for each in sorted(self._intents)])
        return pikepdf.Dictionary(OCGs=pikepdf.Array(self._groups), D=shown)


def _switched_off(groups: list[pikepdf.Object], shown: pikepdf.Object) -> list[pikepdf.Object]:
    """Return the layers that a document shows as off when it opens (ISO 32000-2, 8.11.4.3)."""
    on, off = ({each.objgen for each in dictionaries(shown.get(key))} for key in ("/ON", "/OFF"))
    is_off = shown.get("/BaseState") == pikepdf.Name.OFF
    usable = _intents(shown)
    return [
        each
        for each in groups
        if (each.objgen in off or (is_off and each.objgen not in on))
        and (usable & _intents(each) or "/All" in usable)
    ]


def _intents(holder: pikepdf.Object) -> set[str]:
    """Return the purposes of a layer or of a configuration."""
    intent = holder.get("/Intent", pikepdf.Name.View)
    return {str(each) for each in (items(intent) or [intent])}
