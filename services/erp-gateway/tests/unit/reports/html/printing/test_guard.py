"""The policy in front of every document, and the archive that a browser opens in a sandbox."""

import email
import email.policy

import pytest

from erp_gateway.reports.html.printing.browser import web_archive
from erp_gateway.reports.html.printing.guard import CONTENT_SECURITY_POLICY, guarded

POLICY = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'


@pytest.mark.parametrize(
    "html",
    [
        "<!doctype html><html lang=es><head><title>x</title></head><body>x</body></html>",
        "<!-- <head> --><iframe src='file:///etc/passwd'></iframe><head></head>",
        "\ufeff<html>",
        "x",
        "",
    ],
)
def test_the_policy_comes_before_anything_of_the_document(html: str) -> None:
    document = guarded(html)
    assert document.startswith("<!doctype html>")
    assert document.index(POLICY) < 100
    own = html.removeprefix("\ufeff")
    assert document.endswith(own)
    assert document.count("\ufeff") == 0


def test_the_header_sandboxes_and_allows_neither_scripts_nor_the_network() -> None:
    directives = dict(part.strip().partition(" ")[::2] for part in CONTENT_SECURITY_POLICY.split(";"))
    assert directives == {
        "sandbox": "",
        "default-src": "'none'",
        "style-src": "'unsafe-inline'",
        "img-src": "data:",
        "font-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }


@pytest.mark.parametrize("html", ["ñandú €", "--x\r\n--" * 1000, "\x00\ud800", "", "x" * 1_000_000])
def test_an_archive_contains_only_the_document(html: str) -> None:
    archive = email.message_from_bytes(web_archive(html), policy=email.policy.default)
    assert archive.get_content_type() == "multipart/related"
    (part,) = archive.iter_parts()
    assert part.get_content_type() == "text/html"
    assert part.get_payload(decode=True) == html.encode("utf-8", "replace")


def test_every_archive_has_a_random_boundary() -> None:
    boundaries = {email.message_from_bytes(web_archive("x")).get_boundary() for _ in range(10)}
    assert len(boundaries) == 10
