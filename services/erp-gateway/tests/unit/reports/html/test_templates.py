"""The traps of Mako, each with its guard."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from erp_gateway.reports.html import templates as module
from erp_gateway.reports.html.errors import DocumentTooLongError, TemplateError, TemplateFailedError
from erp_gateway.reports.html.templates import ReportTemplate

Write = Callable[..., ReportTemplate]
HOSTILE = "<script>alert('1')</script> & \"x\""


@pytest.fixture
def write(templates: Path) -> Write:
    """Return what writes a template, and others that it may refer to, and compiles it."""

    def writing(text: str, **others: str) -> ReportTemplate:
        for name, content in {"report": text, **others}.items():
            (templates / f"{name}.html").write_text(content, encoding="utf-8")
        return ReportTemplate(templates, "report.html")

    return writing


def test_everything_is_escaped_without_asking(write: Write) -> None:
    assert write("<p title='${x}'>${x}</p>").render({"x": HOSTILE}) == (
        "<p title='&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &#34;x&#34;'>"
        "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &#34;x&#34;</p>"
    )


def test_included_inherited_and_imported_templates_are_escaped_too(write: Write) -> None:
    template = write(
        '<%inherit file="frame.html"/><%namespace name="parts" file="parts.html"/>'
        '${parts.cell(x)}<%include file="foot.html" args="y=x"/>',
        frame="<main>${self.body()}</main>",
        parts='<%def name="cell(z)"><td>${z}</td></%def>',
        foot='<%page args="y"/><i>${y}</i>',
    )
    text = template.render({"x": "<b>"})
    assert "<b>" not in text
    assert "<i>&lt;b&gt;</i>" in text


def test_a_part_may_be_included_twice_and_refer_to_itself(write: Write) -> None:
    twice = '<%include file="part.html"/>' * 2
    assert write(twice, part='-<%namespace name="me" file="part.html"/>').render({}) == "--"


def test_none_prints_as_an_empty_text(write: Write) -> None:
    assert write("[${x}]").render({"x": None}) == "[]"


def test_numbers_keep_their_digits_and_accents_survive(write: Write) -> None:
    assert write("${x} ñandú €").render({"x": Decimal("100.10")}) == "100.10 ñandú €"


@pytest.mark.parametrize(
    "text",
    [
        "${x | n}",
        "${x | trim,n}",
        "${x|n,trim}",
        "% for y in [x]:\n${y | n}\n% endfor\n",
        "<%def name='f()'>${x | n}</%def>${f()}",
        "<%page expression_filter='n'/>${x}",
        "<%page expression_filter='trim,n'/>${x | trim}",
    ],
)
def test_switching_the_escaping_off_is_refused(write: Write, text: str) -> None:
    with pytest.raises(TemplateError, match=r"template report\.html, line \d: the filter n"):
        write(text)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("${x | n,u}", "%3Ca+b%3E"),
        ("${x | n,h}", "&lt;a b&gt;"),
        ("${x | n,trim,x}", "&lt;a b&gt;"),
        ("<%page expression_filter='n,x'/>${x}", "&lt;a b&gt;"),
        ("<%page expression_filter='n'/>${x | h}", "&lt;a b&gt;"),
        ("${x | trim}", "&lt;a b&gt;"),
    ],
)
def test_another_escaping_filter_may_take_its_place(write: Write, text: str, printed: str) -> None:
    assert write(text).render({"x": "<a b>"}) == printed


def test_switching_it_off_in_an_included_template_is_refused_too(write: Write) -> None:
    with pytest.raises(TemplateError, match=r"template part\.html, line 2: the filter n"):
        write('<%include file="part.html"/>', part="\n${x | n}")


@pytest.mark.parametrize("text", ["${misspelt}", "% if misspelt:\nx\n% endif\n"])
def test_a_name_that_the_data_lacks_is_an_error_with_its_line(write: Write, text: str) -> None:
    with pytest.raises(TemplateFailedError) as caught:
        write(f"one\ntwo\n{text}").render({"x": 1})
    assert isinstance(caught.value.cause, NameError)
    assert caught.value.template == "report.html"


def test_an_error_is_located_where_it_arose(write: Write) -> None:
    template = write('one\n<%include file="part.html"/>', part="one\ntwo\n${1 / x}")
    with pytest.raises(TemplateFailedError) as caught:
        template.render({"x": 0})
    assert (caught.value.template, caught.value.line) == ("part.html", 3)


@pytest.mark.parametrize("name", ["buffer", "self", "context", "loop"])
def test_names_reserved_by_mako_are_an_error_of_the_report(write: Write, name: str) -> None:
    with pytest.raises(TemplateFailedError):
        write("${" + name + ".x}").render({name: "mine"})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("% for x in y:", "does not compile"),
        ("<%unknown/>", "does not compile"),
        ("${x +}", "does not compile"),
        ("<% x = %>", "does not compile"),
        ("<% break %>", "does not compile"),
        ("<%include file='absent.html'/>", "there is no template 'absent.html'"),
        ("<%include file='${x}'/>", "must be written out"),
        ("<%namespace name='n' file='${x}'/>", "must be written out"),
        ("<%page args='x'/>", "takes no page arguments"),
    ],
)
def test_a_faulty_template_is_found_when_it_is_compiled(write: Write, text: str, reason: str) -> None:
    with pytest.raises(TemplateError, match=reason):
        write(text)


def test_a_template_that_is_not_utf8_is_refused(templates: Path) -> None:
    (templates / "report.html").write_bytes("ñ".encode("latin-1"))
    with pytest.raises(TemplateError, match=r"report\.html"):
        ReportTemplate(templates, "report.html")


@pytest.mark.parametrize(
    "name", ["absent.html", "", ".", "../secret.html", "/../secret.html", "..\\secret.html"]
)
def test_a_template_is_nowhere_but_in_its_folder(templates: Path, name: str) -> None:
    (templates.parent / "secret.html").write_text("secret")
    with pytest.raises(TemplateError):
        ReportTemplate(templates, name)


@pytest.mark.parametrize(
    "target",
    ["../secret.html", "/../secret.html", "//../secret.html", "a/../../secret.html", "..\\secret.html"],
)
@pytest.mark.parametrize(
    "tag", ["<%include file='{}'/>", "<%inherit file='{}'/>", "<%namespace file='{}' name='n'/>"]
)
def test_a_template_can_not_refer_outside_its_folder(
    write: Write, templates: Path, tag: str, target: str
) -> None:
    (templates.parent / "secret.html").write_text("secret")
    with pytest.raises(TemplateError):
        write(tag.format(target))


def test_a_link_does_not_lead_out_of_the_folder(templates: Path) -> None:
    (templates.parent / "secret.html").write_text("secret")
    (templates / "report.html").symlink_to(templates.parent / "secret.html")
    with pytest.raises(TemplateError, match="lies outside"):
        ReportTemplate(templates, "report.html")


def test_the_folder_itself_may_be_a_link(templates: Path) -> None:
    (templates / "report.html").write_text("${x}")
    link = templates.parent / "linked"
    link.symlink_to(templates)
    assert ReportTemplate(link, "report.html").render({"x": 1}) == "1"


def test_a_missing_folder_is_named(templates: Path) -> None:
    with pytest.raises(TemplateError, match="there is no folder"):
        ReportTemplate(templates / "absent", "report.html")


def test_a_document_has_an_end(write: Write) -> None:
    template = write("% while True:\n${x}\n% endwhile\n")
    with pytest.raises(DocumentTooLongError):
        template.render({"x": "x" * 1_000_000})
    assert len(write("${x}").render({"x": "x" * module.MAX_CHARS})) == module.MAX_CHARS


def test_templates_stay_as_they_were_at_the_start(write: Write, templates: Path) -> None:
    template = write("<%include file='part.html'/>", part="before")
    for file in templates.iterdir():
        file.write_text("${x | n}")
    assert template.render({}) == "before"


def test_no_compiled_template_is_written_to_disk(write: Write, templates: Path) -> None:
    write("${x}").render({"x": 1})
    assert [file.name for file in templates.iterdir()] == ["report.html"]


SHEET = '<%block name="estilo"/>${next.body()}'
INHERITING = '<%inherit file="sheet.html"/>'


@pytest.mark.parametrize(
    ("text", "others", "mistakes"),
    [
        (
            f'{INHERITING}\n\n<%block name="estilos">p</%block>',
            {"sheet": SHEET},
            ["report.html, line 3: the sheet has no block 'estilos'|did you mean 'estilo'?"],
        ),
        (
            f'{INHERITING}<%block name="pie">p</%block>',
            {"sheet": '<%inherit file="/gateway/informe.html"/>'},
            ["report.html, line 1: the sheet has no block 'pie'|it has encabezado, estilo, papel"],
        ),
        (
            f'{INHERITING}<%block name="style">p</%block><%block>p</%block>',
            {
                "sheet": '<%inherit file="base.html"/><%block name="estilo"><%block name="style"/></%block>',
                "base": SHEET,
            },
            [],
        ),
        (f'{INHERITING}<%block name="estilo"><%block name="mine"/></%block>', {"sheet": SHEET}, []),
        ('<%block name="mine">p</%block>', {}, []),
        (
            'Año\n{{ ano }}\n<%include file="part.html"/>',
            {"part": "% if True:\n{%  if\n rows %}\n% endif"},
            [
                "report.html, line 2: '{{ ano }}'|Mako has ${name} and % if",
                "part.html, line 2: '{% if rows %}'|Mako has ${name} and % if",
            ],
        ),
        ("<%text>{{ ano }}</%text>${'{{ ano }}'}<style>@media print{p{margin:0}}</style>", {}, []),
    ],
)
def test_syntax_that_would_be_printed_literally_is_reported(
    write: Write, text: str, others: dict[str, str], mistakes: list[str]
) -> None:
    told = write(text, **others).mistakes
    assert len(told) == len(mistakes)
    for each, parts in zip(told, mistakes, strict=True):
        assert all(part in each for part in parts.split("|"))
        assert "printed" in each
