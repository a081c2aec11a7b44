"""Which names look alike, and which belong to the service."""

import pytest

from erp_gateway.files.exports.currencies import _LANE as CURRENCIES
from erp_gateway.records.fields.service import _LANE as FIELDS
from erp_gateway.records.proxy.export.list_exporter import EXPORT_LANE
from erp_gateway.values.user_names import SystemName, has_plain_form, is_reserved
from erpclient.client import LOGIN_LANE


@pytest.mark.parametrize(
    "name", [*SystemName, *(lane.name for lane in (CURRENCIES, FIELDS, EXPORT_LANE, LOGIN_LANE))]
)
def test_every_name_under_which_the_service_acts_is_reserved(name: str) -> None:
    assert is_reserved(name)


@pytest.mark.parametrize(
    "name",
    [
        "CLI",
        " Startup ",
        "\uff52\uff45check",
        "look\u200bup",
        "\ufeffanonymous",
        "c\u00adl\u2060i",
        "cli\ufe0f",
        "\u3164cli",
        "c\u034fli",
        "cli\x00",
        "cli\u00a0",
        "Erp_Gateway:anything",
        "erp_\u200dgateway:x",
        "ERPCLIENT:login",
        "\u200b",
        "",
    ],
)
def test_spellings_that_look_like_a_name_of_the_service_are_reserved(name: str) -> None:
    assert is_reserved(name)


@pytest.mark.parametrize(
    "name", ["ana", "client", "cli2", "lookup.ana", "erp_gateway", "re check", "doctor", "añ"]
)
def test_other_names_are_free(name: str) -> None:
    assert not is_reserved(name)


@pytest.mark.parametrize("name", ["ana", "Ana María", "Jose\u0301", "\U00031350"])
def test_a_name_as_it_looks_has_a_plain_form(name: str) -> None:
    # The last one is an ideograph of Unicode 15, which Python 3.11 does not have.
    assert has_plain_form(name)
    assert not is_reserved(name)


@pytest.mark.parametrize("name", [" ana", "ana\u00a0", "a\u200bna", "ana\ufe0f", "ana\x00", "\n"])
def test_blanks_around_it_and_invisible_characters_are_no_plain_form(name: str) -> None:
    assert not has_plain_form(name)
