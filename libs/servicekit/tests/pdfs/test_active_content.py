"""Joined PDFs contain nothing that runs, plays, fetches or sends, wherever it was hidden."""

import io
from collections.abc import Callable

import pikepdf
import pytest
from pdf_documents import Change, appearance, document, field, is_alike, opened, pictures
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, String

from servicekit.pdfs.program import join

Make = Callable[[Pdf], Object]
SCRIPT = "app.alert('SECRET')"


def joined(*parts: bytes) -> bytes:
    answer = io.BytesIO()
    join(iter(parts), answer)
    assert answer.getvalue()[:1] == b"\0"
    return answer.getvalue()[1:]


def contents(pdf: Pdf) -> str:
    """Return all objects of a PDF as text, streams unpacked."""
    found = []
    for each in pdf.objects:
        found.append(each.unparse(resolved=True).decode("latin-1"))
        if isinstance(each, Stream):
            found.append(each.read_bytes().decode("latin-1"))
    return "\n".join(found)


def script(pdf: Pdf) -> Object:
    return pdf.make_indirect(Dictionary(S=Name.JavaScript, JS=String(SCRIPT)))


def script_in_stream(pdf: Pdf) -> Object:
    return pdf.make_indirect(Dictionary(S=Name.JavaScript, JS=pdf.make_stream(SCRIPT.encode())))


def program(pdf: Pdf) -> Object:
    return pdf.make_indirect(
        Dictionary(S=Name.Launch, F=String("SECRET.exe"), Win=Dictionary(F=String("SECRET.exe")))
    )


def action(kind: str, **facts: object) -> Make:
    return lambda pdf: pdf.make_indirect(
        Dictionary({"/S": Name(f"/{kind}"), "/F": String("SECRET.pdf"), **facts})
    )


def as_text(pdf: Pdf) -> Object:
    return pdf.make_indirect(Dictionary(S=String("JavaScript"), JS=String(SCRIPT)))


def with_type_apart(make: Make) -> Make:
    """Return an action whose type is an object of its own, which readers look up like any value."""

    def made(pdf: Pdf) -> Object:
        action = make(pdf)
        action.S = pdf.make_indirect(action.S)
        return action

    return made


def address(text: str) -> Make:
    return lambda pdf: pdf.make_indirect(Dictionary(S=Name.URI, URI=String(text)))


def chained(pdf: Pdf) -> Object:
    last = pdf.make_indirect(
        Dictionary(S=Name.GoTo, D=Array([0, Name.Fit]), Next=Array([script(pdf), program(pdf)]))
    )
    return pdf.make_indirect(Dictionary(S=Name.GoTo, D=Array([0, Name.Fit]), Next=last))


ACTIONS: dict[str, Make] = {
    "script": script,
    "script in a stream": script_in_stream,
    "script named by a string": as_text,
    "program": program,
    "remote document": action("GoToR"),
    "embedded document": action("GoToE"),
    "form sent": action("SubmitForm"),
    "data imported": action("ImportData"),
    "rendition": action("Rendition", **{"/JS": String(SCRIPT)}),
    "movie": action("Movie"),
    "sound": action("Sound"),
    "thread of another file": action("Thread"),
    "3D view": action("GoTo3DView"),
    "rich media": action("RichMediaExecute"),
    "menu command": lambda pdf: pdf.make_indirect(Dictionary(S=Name.Named, N=Name.SECRET)),
    "script address": address("JavaScript:SECRET()"),
    "script address with a blank": address(" java\nscript:SECRET()"),
    "file address": address("file:///c:/SECRET.exe"),
    "Windows share": address("\\\\SECRET\\share"),
    "chain": chained,
    "script with its type apart": with_type_apart(script),
    "program with its type apart": with_type_apart(program),
    "script address with its type apart": with_type_apart(address("javascript:SECRET()")),
}


def on_annotation(key: str, make: Make) -> Change:
    def change(pdf: Pdf) -> None:
        link = pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=[0, 0, 50, 50]))
        link[key] = make(pdf)
        pdf.pages[0].obj.Annots = pdf.make_indirect(Array([link]))

    return change


def events(make: Make) -> Make:
    return lambda pdf: pdf.make_indirect(Dictionary(E=make(pdf)))


def at_opening(make: Make) -> Change:
    def change(pdf: Pdf) -> None:
        pdf.Root.OpenAction = make(pdf)

    return change


def at_events(make: Make, holder: Callable[[Pdf], Object]) -> Change:
    def change(pdf: Pdf) -> None:
        holder(pdf).AA = Dictionary(O=make(pdf))

    return change


def in_outline(make: Make) -> Change:
    def change(pdf: Pdf) -> None:
        item = pdf.make_indirect(Dictionary(Title=String("x"), A=make(pdf)))
        pdf.Root.Outlines = pdf.make_indirect(Dictionary(First=item, Last=item, Count=1))
        item.Parent = pdf.Root.Outlines

    return change


def in_hidden_field(make: Make) -> Change:
    """Put the action into a field that has no widget on a page."""

    def change(pdf: Pdf) -> None:
        field("a", "x", 190, has_appearance=True)(pdf)
        kid = pdf.make_indirect(Dictionary(FT=Name.Tx, T=String("k"), AA=Dictionary(C=make(pdf))))
        parent = pdf.make_indirect(Dictionary(T=String("p"), Kids=Array([kid])))
        kid.Parent = parent
        pdf.Root.AcroForm.Fields.append(parent)

    return change


PLACES: dict[str, Callable[[Make], Change]] = {
    "opening": at_opening,
    "events of the document": lambda make: at_events(make, lambda pdf: pdf.Root),
    "events of a page": lambda make: at_events(make, lambda pdf: pdf.pages[0].obj),
    "annotation": lambda make: on_annotation("/A", make),
    "events of an annotation": lambda make: on_annotation("/AA", events(make)),
    "earlier address of an annotation": lambda make: on_annotation("/PA", make),
    "outline": in_outline,
    "hidden field": in_hidden_field,
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ACTIONS)
def test_an_action_is_removed_in_every_place(kind: str, place: str) -> None:
    part = document(PLACES[place](ACTIONS[kind]))
    for made in (joined(part), joined(part, document())):
        with opened(made) as pdf:
            assert "SECRET" not in contents(pdf)
        assert is_alike(pictures(made)[0], pictures(part)[0])


def named_scripts(pdf: Pdf) -> None:
    leaf = pdf.make_indirect(
        Dictionary(Names=Array([String("a"), script(pdf)]), Limits=Array([String("a"), String("a")]))
    )
    between = pdf.make_indirect(Dictionary(Kids=Array([leaf]), Limits=leaf.Limits))
    pdf.Root.Names = Dictionary(JavaScript=pdf.make_indirect(Dictionary(Kids=Array([between]))))


def xfa(pdf: Pdf) -> None:
    field("a", "x", 190, has_appearance=True)(pdf)
    pdf.Root.AcroForm.XFA = pdf.make_stream(b"<xdp>SECRET</xdp>")


def rich_media(pdf: Pdf) -> None:
    pdf.pages[0].obj.Annots = Array(
        [
            Dictionary(
                Type=Name.Annot,
                Subtype=Name.RichMedia,
                Rect=[0, 0, 50, 50],
                AP=Dictionary(N=appearance(pdf, b"1 0 0 rg 0 0 20 20 re f")),
                RichMediaContent=Dictionary(Assets=pdf.make_stream(b"SECRET")),
                RichMediaSettings=Dictionary(Note=String("SECRET")),
            )
        ]
    )


def media_with_type_apart(pdf: Pdf) -> None:
    rich_media(pdf)
    (annotation,) = pdf.pages[0].obj.Annots
    annotation.Subtype = pdf.make_indirect(Name.RichMedia)


def three_dimensions(pdf: Pdf) -> None:
    model = pdf.make_stream(b"model", OnInstantiate=pdf.make_stream(b"SECRET"))
    pdf.pages[0].obj.Note = model


def reference(pdf: Pdf) -> None:
    form = appearance(pdf, b"1 0 0 rg 0 0 20 20 re f")
    form.Ref = Dictionary(F=String("SECRET.pdf"), Page=0)
    pdf.pages[0].obj.Resources.XObject = Dictionary(X=form)
    pdf.pages[0].contents_add(b"q /X Do Q")


def attached(*names: str) -> Change:
    def change(pdf: Pdf) -> None:
        for name in names:
            pdf.attachments[name] = b"SECRET"

    return change


def attached_to_page(name: str) -> Change:
    def change(pdf: Pdf) -> None:
        data = pdf.make_stream(b"SECRET", Type=Name.EmbeddedFile)
        file = pdf.make_indirect(
            Dictionary(Type=Name.Filespec, F=String("x.txt"), UF=String(name), EF=Dictionary(F=data))
        )
        pdf.pages[0].obj.Annots = Array(
            [Dictionary(Type=Name.Annot, Subtype=Name.FileAttachment, Rect=[0, 0, 9, 9], FS=file)]
        )
        pdf.pages[0].obj.AF = Array([file])

    return change


def unreferenced(pdf: Pdf) -> None:
    pdf.Root.Kept = script(pdf)


CONTENT: dict[str, Change] = {
    "named scripts": named_scripts,
    "XFA": xfa,
    "rich media": rich_media,
    "rich media with its type apart": media_with_type_apart,
    "3D": three_dimensions,
    "page of another file": reference,
    "program": attached("SECRET.exe"),
    "several programs": attached("SECRET", "SECRET.JS", "SECRET.exe"),
    "double extension": attached("SECRET.xml.exe"),
    "program of a page": attached_to_page("SECRET.vbs"),
    "program with a dot": attached_to_page("SECRET.exe. "),
    "program that ends at a null": attached_to_page("SECRET.exe\0.xml"),
    "program that ends at a colon": attached_to_page("SECRET.exe:.txt"),
    "program written backwards": attached_to_page("SECRETlmx\u202e.txt"),
    "unknown key": unreferenced,
}


@pytest.mark.parametrize("name", CONTENT)
def test_active_and_media_content_is_removed(name: str) -> None:
    part = document(CONTENT[name])
    for made in (joined(part), joined(part, document())):
        with opened(made) as pdf:
            assert "SECRET" not in contents(pdf)
            assert not pdf.attachments
        assert is_alike(pictures(made)[0], pictures(part)[0])


def resources_named_like_keys(pdf: Pdf) -> None:
    resources = pdf.pages[0].obj.Resources
    for key in ("/A", "/AA", "/Next", "/JS", "/EF", "/S", "/Movie", "/JavaScript", "/XFA"):
        resources.Font[key] = resources.Font.F1
    resources.XObject = Dictionary(AA=appearance(pdf, b""), OnInstantiate=appearance(pdf, b""))
    resources.XObject.AA.Group = Dictionary(S=Name.Transparency)


HARMLESS: dict[str, Change] = {
    "web address": on_annotation("/A", address("https://www.sii.cl/")),
    "mail": on_annotation("/A", address("mailto:ventas@example.cl")),
    "relative address": on_annotation("/A", address("www.sii.cl/x?a=1:2")),
    "page": on_annotation("/A", lambda pdf: Dictionary(S=Name.GoTo, D=Array([pdf.pages[0].obj, Name.Fit]))),
    "next page": on_annotation("/A", lambda _pdf: Dictionary(S=Name.Named, N=Name.NextPage)),
    "opening at a page": at_opening(lambda pdf: Array([pdf.pages[0].obj, Name.Fit])),
    "tax document": attached("DTE.xml", "datos.CSV"),
    "field": field("a", "x", 190, has_appearance=True),
    "resources named like keys": resources_named_like_keys,
}


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_content_leaves_a_document_unchanged(name: str) -> None:
    part = document(HARMLESS[name])
    assert joined(part) == part


def test_a_link_on_an_event_is_removed() -> None:
    for change in (
        at_opening(address("https://SECRET.cl")),
        at_events(address("https://SECRET.cl"), lambda pdf: pdf.pages[0].obj),
    ):
        with opened(joined(document(change))) as pdf:
            assert "SECRET" not in contents(pdf)


def test_a_tax_document_stays_between_attached_programs() -> None:
    with opened(joined(document(attached("a.exe", "DTE.xml", "z.vbs")))) as pdf:
        assert list(pdf.attachments) == ["DTE.xml"]
        assert pdf.attachments["DTE.xml"].get_file().read_bytes() == b"SECRET"


def test_an_encrypted_document_is_stripped() -> None:
    part = document(at_opening(script), encryption=pikepdf.Encryption(owner="x", user=""))
    with opened(joined(part)) as pdf:
        assert "SECRET" not in contents(pdf)


def test_many_objects_and_long_chains_end() -> None:
    def long(pdf: Pdf) -> None:
        following = script(pdf)
        for _ in range(3000):
            following = pdf.make_indirect(Dictionary(S=Name.GoTo, D=Array([0, Name.Fit]), Next=following))
        pdf.pages[0].obj.AA = Dictionary(O=following)
        loop = pdf.make_indirect(Dictionary(S=Name.GoTo, D=Array([0, Name.Fit])))
        loop.Next = Array([loop, script(pdf)])
        on_annotation("/A", lambda _pdf: loop)(pdf)

    with opened(joined(document(long))) as pdf:
        assert "SECRET" not in contents(pdf)
