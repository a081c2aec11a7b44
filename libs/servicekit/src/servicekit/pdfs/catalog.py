"""The catalog of a joined document: layers, page labels and output intents of its parts."""

from collections.abc import Iterator

import pikepdf
from attrs import define, field

from servicekit.pdfs.layers import Layers
from servicekit.pdfs.objects import dictionaries


@define(eq=False, repr=False)
class JoinedCatalog:
    """Catalog of the joined document, collected from those of its parts.

    Args:
        joined: the document that the pages go into.
    """

    _joined: pikepdf.Pdf
    _layers: Layers = field(init=False, factory=Layers)
    _labels: list[tuple[int, list[tuple[int, pikepdf.Object]]]] = field(init=False, factory=list)
    _intents: list[pikepdf.Object | None] = field(init=False, factory=list)

    def add(self, source: pikepdf.Pdf, first: int) -> None:
        """Add the entries of a part whose pages are in the joined document.

        Args:
            source: the part.
            first: number of its first page there, from 0.
        """
        properties = source.Root.get("/OCProperties")
        if isinstance(properties, pikepdf.Dictionary):
            # Copies are made once for each source: these are the very layers that the copied pages use.
            self._layers.add(_copied(self._joined, source, properties))
        self._labels.append((first, list(_labels_of(self._joined, source))))
        intents = source.Root.get("/OutputIntents")
        self._intents.append(
            _copied(self._joined, source, intents) if isinstance(intents, pikepdf.Array) else None
        )

    def write(self) -> None:
        """Write the catalog's entries."""
        root = self._joined.Root
        if self._layers:
            root.OCProperties = self._layers.properties()
        if any(labels for _, labels in self._labels):
            root.PageLabels = pikepdf.Dictionary(Nums=pikepdf.Array(self._numbered()))
        self._write_intents()

    def _numbered(self) -> Iterator[pikepdf.Object | int]:
        plain = pikepdf.Dictionary(S=pikepdf.Name.D)
        for first, labels in self._labels:
            if not labels or labels[0][0]:
                yield first
                yield plain
            for place, label in labels:
                yield first + place
                yield label

    def _write_intents(self) -> None:
        """Put the intents into the catalog if all parts have the same, else into the pages."""
        # Pages have their own since PDF 2.0 (ISO 32000-2, 14.11.5); earlier readers ignore them.
        names = {None if each is None else _condition(each) for each in self._intents}
        if names == {None}:
            return
        if len(names) == 1:
            self._joined.Root.OutputIntents = self._intents[0]
            return
        ends = [first for first, _ in self._labels[1:]] + [len(self._joined.pages)]
        for (first, _), end, intents in zip(self._labels, ends, self._intents, strict=True):
            for page in self._joined.pages[first:end] if intents is not None else ():
                page.obj.OutputIntents = intents


def _copied(joined: pikepdf.Pdf, source: pikepdf.Pdf, value: pikepdf.Object) -> pikepdf.Object:
    return joined.copy_foreign(value if value.is_indirect else source.make_indirect(value))


def _labels_of(joined: pikepdf.Pdf, source: pikepdf.Pdf) -> Iterator[tuple[int, pikepdf.Object]]:
    """Return the labels of a part by their first page; empty if they can't be read."""
    if "/PageLabels" not in source.Root:
        return
    pages = len(source.pages)
    try:
        labels = dict(pikepdf.NumberTree(source.Root.PageLabels).items())
    except (pikepdf.PdfError, ValueError, TypeError, KeyError, RuntimeError):
        return
    for place, label in sorted(labels.items()):
        if 0 <= place < pages and isinstance(label, pikepdf.Dictionary):
            yield place, _copied(joined, source, label)


def _condition(intents: pikepdf.Object) -> tuple[str, ...]:
    keys = ("/S", "/OutputConditionIdentifier", "/OutputCondition", "/Info")
    return tuple(str(each.get(key, "")) for each in dictionaries(intents) for key in keys)
