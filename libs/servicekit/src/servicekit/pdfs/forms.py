"""Form fields as page content.

A joined document has no form: fields of its parts may have the same name and then would share one value.
"""

import re
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import pikepdf

_PRINTED: Final = 4
_NO_VIEW: Final = 32
# Flags of annotations of ISO 32000-2 (table 167).
_HIDDEN: Final = 2

# Keys that make an annotation a field.
_FIELD_KEYS: Final = (
    "/FT",
    "/Parent",
    "/T",
    "/TU",
    "/V",
    "/DV",
    "/Ff",
    "/MK",
    "/DA",
    "/Opt",
    "/Kids",
    "/MaxLen",
    "/StructParent",
)

# Errors caused by untrusted objects of a wrong type. The field is then drawn as far as possible.
_MALFORMED: Final = (pikepdf.PdfError, ValueError, TypeError, AttributeError, KeyError, RuntimeError)

_FONT: Final = re.compile(rb"/([^\s/\[\]()<>{}%]+)\s+([\d.]+)\s+Tf")
_USUAL_SIZE: Final = 11
# Mean width of a letter in Helvetica, only used to break lines.
_LETTER_WIDTH: Final = 0.52


def flatten_form(pdf: pikepdf.Pdf) -> None:
    """Draw the fields of a document into its pages and remove the form.

    A field without an appearance gets one of its value. A field that only a screen, only print or only a
    layer shows stays an annotation with its appearance, because page content has no such condition.
    """
    form = pdf.Root.get("/AcroForm")
    if isinstance(form, pikepdf.Dictionary):
        _make_appearances(pdf, form)
        form.NeedAppearances = False  # otherwise qpdf treats the appearances as outdated and draws none
    if any(_widgets(page) for page in pdf.pages):
        _draw_fields([page for page in pdf.pages if isinstance(page.obj.get("/Annots"), pikepdf.Array)], pdf)


def _draw_fields(pages: list[pikepdf.Page], pdf: pikepdf.Pdf) -> None:
    """Draw the fields of these pages; all other annotations stay."""
    other_annotations = [_set_aside_annotations(page) for page in pages]
    drawn = [list(page.obj.Annots) for page in pages]
    try:
        pdf.flatten_annotations("all")
    except pikepdf.PdfError:  # a page with malformed content cannot be extended
        other_annotations = [
            [*others, *map(_stamp, fields)] for others, fields in zip(other_annotations, drawn, strict=True)
        ]
    for page, annotations in zip(pages, other_annotations, strict=True):
        page.obj.Annots = pikepdf.Array(annotations)


def _set_aside_annotations(page: pikepdf.Page) -> list[pikepdf.Object]:
    """Reduce a page to the fields to draw; return its other annotations."""
    drawn, fields = [], []
    for each in page.obj.Annots:
        if not _is_widget(each):
            fields.append(each)
        elif _is_unconditional(each):
            drawn.append(each)
        elif "/AP" in each:
            fields.append(_stamp(each))
    page.obj.Annots = pikepdf.Array(drawn)
    return fields


def _widgets(page: pikepdf.Page) -> list[pikepdf.Object]:
    annotations = page.obj.get("/Annots")
    return list(filter(_is_widget, annotations)) if isinstance(annotations, pikepdf.Array) else []


def _is_widget(annotation: pikepdf.Object) -> bool:
    return isinstance(annotation, pikepdf.Dictionary) and annotation.get("/Subtype") == pikepdf.Name.Widget


def _is_unconditional(widget: pikepdf.Object) -> bool:
    flags = _flags(widget)
    return bool(flags & _HIDDEN) or (flags & (_PRINTED | _NO_VIEW) == _PRINTED and "/OC" not in widget)


def _flags(widget: pikepdf.Object) -> int:
    flags = widget.get("/F", 0)
    return flags if isinstance(flags, int) else 0


def _stamp(widget: pikepdf.Object) -> pikepdf.Object:
    for key in _FIELD_KEYS:
        if key in widget:
            del widget[key]
    widget.Subtype = pikepdf.Name.Stamp
    return widget


def _make_appearances(pdf: pikepdf.Pdf, form: pikepdf.Dictionary) -> None:
    is_all_outdated = bool(form.get("/NeedAppearances", False))
    for field in pdf.acroform.fields:
        if not (field.is_text or field.is_choice) or not field.value_as_string:
            continue
        for widget in pdf.acroform.get_annotations_for_field(field):
            with suppress(*_MALFORMED):
                if is_all_outdated or "/N" not in widget.obj.get("/AP", {}):
                    _provide_font(form, field.default_appearance)
                    _make_appearance(pdf, form, field, widget)


def _provide_font(form: pikepdf.Dictionary, style: bytes) -> None:
    match = _FONT.search(style)
    if match is None:
        return
    name = "/" + match[1].decode("latin-1")
    if not isinstance(form.get("/DR"), pikepdf.Dictionary):
        form.DR = pikepdf.Dictionary()
    if not isinstance(form.DR.get("/Font"), pikepdf.Dictionary):
        form.DR.Font = pikepdf.Dictionary()
    if name not in form.DR.Font:
        form.DR.Font[name] = pikepdf.Dictionary(
            Type=pikepdf.Name.Font,
            Subtype=pikepdf.Name.Type1,
            BaseFont=pikepdf.Name.Helvetica,
            Encoding=pikepdf.Name.WinAnsiEncoding,
        )


def _make_appearance(
    pdf: pikepdf.Pdf, form: pikepdf.Dictionary, field: pikepdf.AcroFormField, widget: pikepdf.Annotation
) -> None:
    if not (field.is_text and field.flags & pikepdf.FormFieldFlag.tx_multiline):
        field.generate_appearance(widget)
        return
    # qpdf writes one line, and pikepdf's generator for several needs widths that standard fonts do not carry.
    left, bottom, right, top = (float(each) for each in widget.obj.Rect)
    width, height = abs(right - left), abs(top - bottom)
    match = _FONT.search(field.default_appearance)
    size = float(match[2] if match else 0) or _USUAL_SIZE
    style = _FONT.sub(lambda match: b"/%s %g Tf" % (match[1], size), field.default_appearance)
    lines = _lines(field.value_as_string, int((width - 4) / (size * _LETTER_WIDTH)))
    text = b"".join(pikepdf.String(line).unparse() + b" Tj T*\n" for line in lines)
    content = b"/Tx BMC q 0 0 %g %g re W n BT %s %g TL 2 %g Td\n%sET Q EMC"
    widget.obj.AP = pikepdf.Dictionary(
        N=pdf.make_stream(
            content % (width, height, style, size * 1.15, height - size, text),
            Type=pikepdf.Name.XObject,
            Subtype=pikepdf.Name.Form,
            BBox=[0, 0, width, height],
            Resources=form.get("/DR", pikepdf.Dictionary()),
        )
    )


def _lines(text: str, letters: int) -> Iterator[bytes]:
    for paragraph in text.splitlines():
        for line in textwrap.wrap(paragraph, max(letters, 1)) or [""]:
            yield line.encode("cp1252", "replace")
