"""Parts of the report gateway's texts that people and the log see."""

import html
import json
from urllib.parse import quote

import pytest

from erp_gateway.reports.crystal.disclosure import Disclosure
from erp_gateway.reports.crystal.wire import GatewayLogin

URL = "https://Hana-01.example.com:60000/gateway"
PASSWORD = 'S3creto "ñ&/'
LOGIN = GatewayLogin("SBO_Prod", "informes", PASSWORD, "NDB@10.1.2.3:30013")
SEEN = Disclosure(URL, LOGIN)
ELSEWHERE = Disclosure("http://report.invalid", GatewayLogin("OTRA", "nadie", "hush-hush"))


def told(text: str) -> str:
    return ELSEWHERE.for_people(text)


NAMES = {
    "host": "hana-01.example.com",
    "machine": "hana-01",
    "instance": "NDB@10.1.2.3:30013",
    "tenant": "NDB",
    "server": "10.1.2.3",
    "user": "informes",
    "database": "SBO_Prod",
    "password": PASSWORD,
}


def percent(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in text)


WRITTEN = {
    "as it is": str,
    "upper": str.upper,
    "swapped": str.swapcase,
    "url": lambda text: quote(text, safe=""),
    "every byte": percent,
    "twice": lambda text: quote(percent(text)),
    "plus": lambda text: quote(text, safe="").replace("%20", "+"),
    "json": lambda text: json.dumps(text)[1:-1],
    "unicode escapes": escaped,
    "json in json": lambda text: json.dumps(escaped(text))[1:-1],
    "in an object": lambda text: json.dumps({"detail": text}),
    "html": html.escape,
    "numeric entities": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "broken line": lambda text: text.replace(" ", "\n "),
}


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_no_text_with_a_configured_name_reaches_people(name: str, write: object) -> None:
    assert callable(write)
    assert SEEN.for_people(f"No se pudo abrir {write(name)} ahora") == ""


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
def test_the_log_has_the_text_without_the_password(write: object) -> None:
    assert callable(write)
    logged = SEEN.for_log(f"Login of informes failed with {write(PASSWORD)}")
    assert "***" in logged
    readable = html.unescape(logged).casefold()
    assert not any(part in readable for part in ("s3creto", "%73%33", "u0053", "u0073"))


def test_names_are_for_the_log_and_the_usual_forms_leave_the_rest_of_the_text() -> None:
    text = f"User informes with {PASSWORD} at NDB@10.1.2.3:30013 (SBO_Prod)"
    assert SEEN.for_log(text) == "User informes with *** at NDB@10.1.2.3:30013 (SBO_Prod)"
    assert SEEN.for_log(f"pwd={quote(PASSWORD, safe='')}&x=1") == "pwd=***&x=1"


def test_a_password_far_behind_is_not_seen_by_its_beginning() -> None:
    assert "S3" not in SEEN.for_log("x" * 295 + PASSWORD)


def test_short_names_only_match_whole_words() -> None:
    short = Disclosure("http://sap", GatewayLogin("B1", "sa", "hush-hush"))
    assert short.for_people("El mensaje no pasa") == "El mensaje no pasa"
    assert short.for_people("Login failed for user SA") == ""
    assert short.for_people("Falta la base b1.") == ""


def test_an_ordinary_word_at_the_start_of_the_host_is_no_name() -> None:
    plain = Disclosure("https://reports.example.com", GatewayLogin("SBO_DEMO", "nadie", "hush-hush"))
    assert plain.for_people("No reports found") == "No reports found"


def test_empty_names_hide_nothing() -> None:
    empty = Disclosure("http://", GatewayLogin("", "", ""))
    assert empty.for_people("Faltan datos") == "Faltan datos"
    assert empty.for_log("Faltan datos") == "Faltan datos"


def test_a_text_too_long_to_be_judged_is_not_for_people() -> None:
    assert told("x " * 20_000) == ""
    assert len(ELSEWHERE.for_log("x " * 20_000)) == 300


@pytest.mark.parametrize(
    "text",
    [
        "<html>x</html>",
        '{"x":1}',
        "see http://10.0.0.5:60000/rs",
        "java.lang.NullPointerException",
        "at com.sap.b1.Report.run(Report.java:5)",
        "Error in SELECT * FROM OITM",
        "insert into OITM values (1)",
        "Failed: CALL SBO_DEMO (1)",
        "could not connect to hana01.corp.local:30015",
        "could not connect to hana01:30015",
        "Connection refused by 10.0.0.5",
        "mail manager@corp",
        r"C:\Program Files\SAP\order.rpt was not found",
        r"\\srv\reports is away",
        "/usr/sap/order was not found",
        "the layout order.rpt was not found",
        "a\x1b[31mb",
    ],
)
def test_texts_with_internals_are_not_passed_on(text: str) -> None:
    assert told(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "An error has occurred while generating the PDF file.",
        "There is no default Crystal Report layout related to INV20002",
        "Error 12.5: la fecha (2026-01-31 10:30) no existe. Revise el informe.",
        "Please update the layout; call support.",
        "Valor/fecha incorrectos",
    ],
)
def test_sentences_for_people_are_passed_on(text: str) -> None:
    assert told(text) == text


def test_a_long_text_is_cut_and_is_one_line() -> None:
    assert told("a\n b") == "a b"
    assert len(told("x" * 1000)) == 300
