"""PDFs that the tests of joining make, and pictures of them."""

import io
from collections.abc import Callable

import pikepdf
import pypdfium2  # type: ignore[import-untyped, unused-ignore] # it carries no types
from pikepdf import Array, Dictionary, Name, Pdf, String
from PIL import ImageChops
from PIL.Image import Image

Change = Callable[[Pdf], None]

FONT = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)


def document(*changes: Change, texts: tuple[str, ...] = ("Guía",), **saving: object) -> bytes:
    """Return a PDF with a page for each text, changed."""
    with Pdf.new() as pdf:
        for text in texts:
            page = pdf.add_blank_page(page_size=(200, 200))
            page.obj.Resources = Dictionary(Font=Dictionary(F1=FONT))
            page.obj.Contents = pdf.make_stream(
                b"BT /F1 14 Tf 20 100 Td " + String(text.encode("cp1252")).unparse() + b" Tj ET"
            )
        for change in changes:
            change(pdf)
        written = io.BytesIO()
        pdf.save(written, **saving)  # type: ignore[arg-type]  # the tests pass what it takes
        return written.getvalue()


def pictures(content: bytes) -> list[Image]:
    """Return a picture of each page as a viewer shows it, form fields included."""
    with pypdfium2.PdfDocument(content) as pdf:
        if pdf.get_formtype():
            pdf.init_forms()
        return [page.render(scale=2, may_draw_forms=True).to_pil().convert("RGB") for page in pdf]


def is_alike(one: Image, other: Image) -> bool:
    """Return whether two pictures differ only in the smooth edges of letters.

    The renderer smooths the text of a form field in a slightly different way than that of a page.
    """
    if one.size != other.size:
        return False
    return max(ImageChops.difference(one, other).tobytes(), default=0) < 100


def texts(content: bytes) -> list[str]:
    """Return the visible text of each page."""
    with pypdfium2.PdfDocument(content) as pdf:
        return [page.get_textpage().get_text_bounded() for page in pdf]


def opened(content: bytes) -> Pdf:
    """Open a PDF that must need no repair."""
    pdf = Pdf.open(io.BytesIO(content))
    assert not pdf.get_warnings()
    return pdf


def draw(pdf: Pdf, page: int, content: bytes, **resources: Dictionary) -> None:
    """Add content to a page, and resources by their kind."""
    pdf.pages[page].contents_add(content)
    for kind, values in resources.items():
        own = pdf.pages[page].obj.Resources
        own[f"/{kind}"] = Dictionary({**dict(own.get(f"/{kind}", {}).items()), **dict(values.items())})


def layer(name: str, color: bytes, place: int, *, page: int = 0, **facts: object) -> Change:
    """Return what adds a layer with a square. Its facts are `state` and further keys of the group."""
    state = facts.pop("state", "ON")

    def change(pdf: Pdf) -> None:
        group = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String(name)))
        for key, value in facts.items():
            group[f"/{key}"] = value
        root = pdf.Root
        if "/OCProperties" not in root:
            root.OCProperties = Dictionary(OCGs=[], D=Dictionary(Order=[], ON=[], OFF=[]))
        root.OCProperties.OCGs.append(group)
        root.OCProperties.D.Order.append(group)
        if state:
            root.OCProperties.D[f"/{state}"].append(group)
        square = b"/OC /L%d BDC %s rg %d 20 30 30 re f EMC" % (place, color, 10 + place * 40)
        draw(pdf, page, square, Properties=Dictionary({f"/L{place}": group}))

    return change


def configured(**values: object) -> Change:
    """Return what sets entries of the configuration of the layers."""

    def change(pdf: Pdf) -> None:
        for key, value in values.items():
            pdf.Root.OCProperties.D[f"/{key}"] = value

    return change


def field(name: str, value: str, top: int, *, has_appearance: bool = False, **facts: object) -> Change:
    """Return what adds a text field."""

    def change(pdf: Pdf) -> None:
        widget = pdf.make_indirect(
            Dictionary(
                Type=Name.Annot,
                Subtype=Name.Widget,
                FT=Name.Tx,
                T=String(name),
                V=String(value),
                DA=String("/Helv 12 Tf 0 0 1 rg"),
                Rect=[10, top - 20, 190, top],
                F=4,
            )
        )
        for key, fact in facts.items():
            widget[f"/{key}"] = fact
        if has_appearance:
            content = (
                b"/Tx BMC q BT /Helv 12 Tf 0 0 1 rg 2 5 Td (" + value.encode("cp1252") + b") Tj ET Q EMC"
            )
            widget.AP = Dictionary(N=appearance(pdf, content))
        page = pdf.pages[0].obj
        page.Annots = Array([*page.get("/Annots", ()), widget])
        if "/AcroForm" not in pdf.Root:
            pdf.Root.AcroForm = Dictionary(Fields=[], DR=Dictionary(Font=Dictionary(Helv=FONT)))
        pdf.Root.AcroForm.Fields.append(widget)

    return change


def appearance(pdf: Pdf, content: bytes, width: int = 180, height: int = 20) -> pikepdf.Object:
    """Return an appearance stream."""
    return pdf.make_stream(
        content,
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=[0, 0, width, height],
        Resources=Dictionary(Font=Dictionary(Helv=FONT)),
    )


def root_entry(key: str, make: Callable[[Pdf], object]) -> Change:
    """Return what sets an entry of the catalog."""

    def change(pdf: Pdf) -> None:
        pdf.Root[key] = make(pdf)

    return change
