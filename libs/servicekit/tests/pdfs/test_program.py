"""Joined PDFs look like their originals, page by page; one alone stays as it is."""

import io
import warnings
from itertools import product

import pikepdf
import pytest
from pdf_documents import (
    Change,
    appearance,
    configured,
    document,
    draw,
    field,
    is_alike,
    layer,
    opened,
    pictures,
    texts,
)
from pikepdf import Array, Dictionary, Name, Pdf, String

from servicekit.pdfs.program import join
from servicekit.pdfs.wire import JOINED

RED, GREEN = b"1 0 0", b"0 1 0"


def joined(*parts: bytes) -> bytes:
    """Return the joined document."""
    answer = io.BytesIO()
    join(iter(parts), answer)
    assert answer.getvalue()[:1] == JOINED, answer.getvalue()[:10]
    return answer.getvalue()[1:]


def rotated(pdf: Pdf) -> None:
    pdf.pages[0].rotate(90, relative=False)
    pdf.pages[0].obj.CropBox = [10, 20, 180, 150]


def inherited(pdf: Pdf) -> None:
    """Let pages get resources, size and rotation from the page tree."""
    page = pdf.pages[0].obj
    tree = pdf.Root.Pages
    tree.Resources, tree.MediaBox, tree.Rotate = page.Resources, [0, 0, 150, 180], 270
    del page["/Resources"], page["/MediaBox"]


def stamped(pdf: Pdf) -> None:
    stamp = Dictionary(
        Type=Name.Annot,
        Subtype=Name.Stamp,
        Rect=[20, 20, 120, 40],
        F=4,
        AP=Dictionary(N=appearance(pdf, b"1 0 1 rg 0 0 90 10 re f")),
    )
    pdf.pages[0].obj.Annots = Array([stamp])


def checked(pdf: Pdf) -> None:
    states = Dictionary(
        Yes=appearance(pdf, b"0 0 20 20 re f", 20, 20), Off=appearance(pdf, b"0 0 20 20 re S", 20, 20)
    )
    if "/AcroForm" not in pdf.Root:
        pdf.Root.AcroForm = Dictionary(Fields=[])
    boxes = [
        pdf.make_indirect(
            Dictionary(
                Type=Name.Annot,
                Subtype=Name.Widget,
                FT=Name.Btn,
                T=String(f"box{place}"),
                F=4,
                V=state,
                AS=state,
                Rect=[10 + 40 * place, 10, 30 + 40 * place, 30],
                AP=Dictionary(N=states),
            )
        )
        for place, state in enumerate((Name.Yes, Name.Off))
    ]
    pdf.Root.AcroForm.Fields.extend(boxes)
    pdf.pages[0].obj.Annots = Array([*pdf.pages[0].obj.get("/Annots", ()), *boxes])


def membership(pdf: Pdf) -> None:
    """Draw what is visible only while all of two layers are on."""
    groups = pdf.Root.OCProperties.OCGs
    both = pdf.make_indirect(Dictionary(Type=Name.OCMD, OCGs=Array(list(groups)), P=Name.AllOn))
    draw(pdf, 0, b"/OC /M BDC 0 0 0 rg 150 20 30 30 re f EMC", Properties=Dictionary(M=both))


def usage(state: Name) -> Dictionary:
    return Dictionary(View=Dictionary(ViewState=state), Print=Dictionary(PrintState=state))


def by_usage(pdf: Pdf) -> None:
    """Let a viewer take the states from the usages of the layers."""
    properties = pdf.Root.OCProperties
    properties.D.AS = Array(
        [Dictionary(Event=Name.View, Category=[Name.View], OCGs=Array(list(properties.OCGs)))]
    )


OFF = layer("ANULADO", RED, 0, state="OFF")
ON = layer("Original", GREEN, 1)
NEITHER = layer("ANULADO", RED, 2, state="")
LOOKS: dict[str, tuple[Change, ...]] = {
    "plain": (),
    "rotated": (rotated,),
    "inherited": (inherited,),
    "stamp": (stamped,),
    "layer off": (OFF, ON),
    "base state off": (OFF, ON, NEITHER, configured(BaseState=Name.OFF)),
    "off wins": (OFF, configured(BaseState=Name.ON), ON, NEITHER),
    "base unchanged": (OFF, NEITHER, configured(BaseState=Name.Unchanged)),
    "membership": (OFF, ON, membership),
    "usage": (layer("Pantalla", RED, 0, state="", Usage=usage(Name.OFF)), ON, by_usage),
    "filled field": (field("total", "Total 1.500", 190, has_appearance=True),),
    "same field": (field("total", "Otro 2.500", 190, has_appearance=True), checked),
    "hidden field": (field("oculto", "NO", 190, has_appearance=True, F=2),),
    "not on screen": (field("oculto", "NO", 190, has_appearance=True, F=4 | 32),),
    "only on screen": (field("visible", "SI", 190, has_appearance=True, F=0),),
    "rotated field": (rotated, field("total", "Total 3", 140, has_appearance=True)),
}


def test_each_page_of_a_joined_document_looks_like_its_original() -> None:
    parts = [document(*changes, texts=(name, "segunda")) for name, changes in LOOKS.items()]
    originals = [picture for part in parts for picture in pictures(part)]
    made = pictures(joined(*parts))
    names = [f"{name} {page}" for name, page in product(LOOKS, (1, 2))]
    pairs = zip(names, made, originals, strict=True)
    assert [name for name, page, original in pairs if not is_alike(page, original)] == []


@pytest.mark.parametrize("name", LOOKS)
def test_a_single_document_is_returned_unchanged(name: str) -> None:
    part = document(*LOOKS[name])
    assert joined(part) == part


def test_a_single_encrypted_document_is_returned_unchanged() -> None:
    part = document(encryption=pikepdf.Encryption(owner="x", user=""))
    assert joined(part) == part


def test_a_document_that_needs_repair_is_rewritten() -> None:
    part = document(OFF, ON)
    for faulty in (b"\r\n" + part, part.replace(b"startxref\n", b"startxref\n9")):
        made = joined(faulty)
        assert made != faulty
        assert opened(made).Root.OCProperties.D.OFF
        assert is_alike(pictures(made)[0], pictures(part)[0])


def test_values_without_appearance_are_drawn() -> None:
    part = document(
        field("nombre", "Áridos Ñuñoa", 190),
        field("notas", "Primera línea\nsegunda que no cabe en una línea y sigue", 160, Ff=4096),
        field("vacio", "", 60),
        texts=("",),
    )
    made = joined(part, part)
    for text in texts(made):
        assert "Áridos Ñuñoa" in text
        assert "Primera línea" in text
        assert "sigue" in text.replace("\r\n", " ")
    with opened(made) as pdf:
        assert "/AcroForm" not in pdf.Root
        assert not any(page.obj.get("/Annots") for page in pdf.pages)


def test_outdated_appearances_are_drawn_again() -> None:
    def outdate(pdf: Pdf) -> None:
        pdf.Root.AcroForm.NeedAppearances = True
        pdf.Root.AcroForm.Fields[0].V = String("nuevo")

    made = joined(document(field("a", "viejo", 190, has_appearance=True), outdate, texts=("",)), document())
    assert texts(made)[0].strip() == "nuevo"


def test_a_form_field_without_fonts_is_drawn() -> None:
    def forget(pdf: Pdf) -> None:
        del pdf.Root.AcroForm["/DR"]

    assert "valor" in texts(joined(document(field("a", "valor", 190), forget), document()))[0]


def test_a_field_that_a_layer_or_only_print_shows_stays_an_annotation() -> None:
    def of_layer(pdf: Pdf) -> None:
        pdf.Root.AcroForm.Fields[0].OC = pdf.Root.OCProperties.OCGs[0]

    conditional = field("a", "NO", 190, has_appearance=True)
    printed = field("b", "NO", 190, has_appearance=True, F=4 | 32)
    with opened(joined(document(OFF, conditional, of_layer), document(printed))) as pdf:
        (first,), (second,) = (page.obj.Annots for page in pdf.pages)
        assert [str(first.Subtype), str(second.Subtype), str(second.F)] == ["/Stamp", "/Stamp", "36"]
        assert first.OC.objgen == pdf.Root.OCProperties.D.OFF[0].objgen
        assert "/FT" not in first


def test_stamps_stay_annotations_also_on_pages_without_fields() -> None:
    def stamped_twice(pdf: Pdf) -> None:
        stamped(pdf)
        pdf.pages[1].obj.Annots = pdf.pages[0].obj.Annots
        field("a", "x", 190, has_appearance=True)(pdf)

    with opened(joined(document(stamped_twice, texts=("x", "y")), document())) as pdf:
        kinds = [[str(each.Subtype) for each in page.obj.get("/Annots", ())] for page in pdf.pages]
        assert kinds == [["/Stamp"], ["/Stamp"], []]


def test_a_field_on_a_malformed_page_stays_visible() -> None:
    def malform(pdf: Pdf) -> None:
        pdf.pages[0].obj.Contents = Array([1, None, String("x"), Dictionary()])

    made = joined(document(field("a", "valor", 190, has_appearance=True), malform), document())
    with Pdf.open(io.BytesIO(made)) as pdf:
        assert [str(each.Subtype) for each in pdf.pages[0].obj.Annots] == ["/Stamp"]


def test_links_stay_links_next_to_drawn_fields() -> None:
    def linked(pdf: Pdf) -> None:
        link = Dictionary(
            Type=Name.Annot,
            Subtype=Name.Link,
            Rect=[0, 0, 9, 9],
            A=Dictionary(S=Name.URI, URI=String("https://example.cl/")),
        )
        pdf.pages[0].obj.Annots.append(link)

    with opened(joined(document(field("a", "x", 190, has_appearance=True), linked), document())) as pdf:
        assert [str(each.A.URI) for each in pdf.pages[0].obj.Annots] == ["https://example.cl/"]


def test_layers_with_the_same_name_stay_separate() -> None:
    made = joined(document(OFF), document(layer("ANULADO", RED, 0)), document(OFF))
    with opened(made) as pdf:
        properties = pdf.Root.OCProperties
        first, second, third = properties.OCGs
        assert len({first.objgen, second.objgen, third.objgen}) == 3
        assert [each.objgen for each in properties.D.OFF] == [first.objgen, third.objgen]
        assert [[str(entry[0]), entry[1].objgen] for entry in properties.D.Order] == [
            ["Documento 1", first.objgen],
            ["Documento 2", second.objgen],
            ["Documento 3", third.objgen],
        ]
        for page, group in zip(pdf.pages, properties.OCGs, strict=True):
            assert page.obj.Resources.Properties.L0.objgen == group.objgen


def test_locks_and_button_groups_of_layers_are_kept() -> None:
    def grouped(pdf: Pdf) -> None:
        groups = Array(list(pdf.Root.OCProperties.OCGs))
        pdf.Root.OCProperties.D.Locked = groups
        pdf.Root.OCProperties.D.RBGroups = Array([groups])

    with opened(joined(document(OFF, ON, grouped), document(), document(OFF, grouped))) as pdf:
        shown = pdf.Root.OCProperties.D
        assert [each.objgen for each in shown.Locked] == [each.objgen for each in pdf.Root.OCProperties.OCGs]
        assert [len(each) for each in shown.RBGroups] == [2, 1]


def numbered(*labels: object) -> Change:
    def change(pdf: Pdf) -> None:
        pdf.Root.PageLabels = Dictionary(Nums=Array(labels))

    return change


def test_page_labels_continue_for_their_own_pages() -> None:
    roman = numbered(0, Dictionary(S=Name.r), 1, Dictionary(S=Name.D, P=String("A-")))
    made = joined(
        document(texts=("x", "y")), document(roman, texts=("x",) * 3), document(), document(numbered(9, 1))
    )
    with opened(made) as pdf:
        assert [str(page.label) for page in pdf.pages] == ["1", "2", "i", "A-1", "A-2", "1", "1"]
    with opened(joined(document(), document())) as pdf:
        assert "/PageLabels" not in pdf.Root


def intended(condition: str) -> Change:
    def change(pdf: Pdf) -> None:
        profile = pdf.make_stream(b"profile", N=3)
        pdf.Root.OutputIntents = Array(
            [
                Dictionary(
                    S=Name.GTS_PDFA1, OutputConditionIdentifier=String(condition), DestOutputProfile=profile
                )
            ]
        )

    return change


def test_output_intents_are_kept_per_document_or_per_page() -> None:
    srgb, fogra = intended("sRGB"), intended("FOGRA39")
    with opened(joined(document(srgb), document(srgb))) as pdf:
        assert [str(each.OutputConditionIdentifier) for each in pdf.Root.OutputIntents] == ["sRGB"]
    with opened(joined(document(srgb), document(), document(fogra))) as pdf:
        assert "/OutputIntents" not in pdf.Root
        assert ["/OutputIntents" in page.obj for page in pdf.pages] == [True, False, True]
        assert str(pdf.pages[2].obj.OutputIntents[0].OutputConditionIdentifier) == "FOGRA39"


def test_a_catalog_that_makes_no_sense_does_not_stop_the_joining() -> None:
    def nonsense(pdf: Pdf) -> None:
        pdf.Root.OCProperties = Dictionary(OCGs=Array([1, String("x"), None]), D=Array([]))
        pdf.Root.PageLabels = Dictionary(Nums=Array([String("x")]))
        pdf.Root.OutputIntents = Array([1, None])
        pdf.Root.AcroForm = Dictionary(Fields=Array([1, None, Dictionary()]), DR=1)
        pdf.Root.Names = Array([])
        pdf.pages[0].obj.Annots = Array([1, None, Dictionary(Subtype=1), Dictionary(Subtype=Name.Widget)])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pikepdf.exceptions.PageCopyWarning)
        part = document(nonsense)
    assert joined(part) == part
    assert is_alike(pictures(joined(part, document()))[0], pictures(document())[0])


def test_the_version_is_that_of_the_newest_part() -> None:
    with opened(joined(document(), document(force_version="2.0"), document())) as pdf:
        assert pdf.pdf_version == "2.0"
