# ruff: noqa: RUF009 - setting() and group() only declare fields
"""A setting's field is all that its row and its line in the example file need."""

from attrs import frozen
from tools.docs.settings import Service, chapter, example_file

from servicekit.config import group, integer, setting, text


@frozen(kw_only=True)
class Web:
    """Server."""

    name: str = setting("NAME", help="Its name.", parse=text(), example="shop")
    port: int = setting("PORT", help="Port to listen on.", parse=integer(1, 9), default=3)
    note: str | None = setting("NOTE", help="A note.", parse=text(max_length=5), default=None)


@frozen(kw_only=True)
class Reports:
    """Reports.

    Optional.
    """

    url: str = setting("REPORTS_URL", help="Address.", parse=text(max_length=5), example="x")
    key: object = setting("REPORTS_KEY", help="Key.", secret=True)


@frozen(kw_only=True)
class Settings:
    """All."""

    web: Web = group(Web)
    reports: Reports | None = group(Reports, when="REPORTS_URL")


SERVICE = Service("shop", Settings, ("REPORTS_",), "REPORTS_KEY")


def test_the_example_file_comments_out_optional_settings() -> None:
    lines = example_file(SERVICE).splitlines()
    assert lines[lines.index("# --- Server") :] == [
        "# --- Server",
        "",
        "# Its name.",
        "NAME=shop",
        "",
        "# Port to listen on.",
        "# PORT=3",
        "",
        "# A note.",
        "# NOTE=",
        "",
        "# --- Reports (only with REPORTS_URL)",
        "",
        "# Address.",
        "# REPORTS_URL=x",
        "",
        "# Key.",
        "# REPORTS_KEY=",
    ]


def test_the_page_has_a_table_for_each_group() -> None:
    *_, web, heading, switch, notes, reports = chapter(SERVICE)
    assert web.splitlines()[2:] == [
        "| `NAME` | required | one line of at most 1000 characters | Its name. |",
        "| `PORT` | `3` | an integer from 1 to 9 | Port to listen on. |",
        "| `NOTE` | | one line of at most 5 characters | A note. |",
    ]
    assert (heading, switch, notes) == (
        "### Reports",
        "Only with `REPORTS_URL`.",
        "Optional.",
    )
    assert reports.splitlines()[-1] == "| `REPORTS_KEY` | required | secret | Key. |"
