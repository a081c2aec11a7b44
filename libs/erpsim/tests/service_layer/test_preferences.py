"""Request headers that ask for something."""

from __future__ import annotations

import pytest

from erpsim.company.errors import NotSimulatedError
from erpsim.service_layer.preferences import check_options, page_size, preferences
from erpsim.service_layer.wire.messages import SlRequest
from erpsim.service_layer.wire.wire_format import V1_FORMAT


def asking(**headers: str) -> SlRequest:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return SlRequest(
        method="GET", path="Items", query="", headers=names, body=b"", wire=V1_FORMAT, origin="http://x"
    )


def test_the_preference_overrides_the_option() -> None:
    assert page_size(asking(prefer="odata.maxpagesize=7", b1s_pagesize="9")) == 7
    assert page_size(asking(b1s_pagesize="9")) == 9
    assert page_size(asking(prefer="odata.maxpagesize=0")) == 0
    assert page_size(asking()) is None


def test_one_header_may_contain_several_preferences() -> None:
    request = asking(prefer="return-no-content, odata.maxpagesize=3")
    assert preferences(request) == {"return-no-content", "odata.maxpagesize=3"}
    assert page_size(request) == 3


@pytest.mark.parametrize("preference", ["odata.maxpagesize=many", "return=minimal", ""])
def test_unknown_preferences_are_ignored(preference: str) -> None:
    request = asking(prefer=preference)
    check_options(request)
    assert page_size(request) is None


def test_a_page_size_that_is_no_number_is_refused() -> None:
    with pytest.raises(NotSimulatedError):
        page_size(asking(b1s_pagesize="many"))


@pytest.mark.parametrize(
    "headers",
    [
        {"b1s_pagesize": "1"},
        {"b1s_caseinsensitive": "true"},
        {"b1s_replacecollectionsonpatch": "true"},
        {"b1s_metadatawithoutsession": "true"},
        {"b1s_wcfcompatible": "false"},
    ],
)
def test_known_options_are_accepted(headers: dict[str, str]) -> None:
    check_options(asking(**headers))


@pytest.mark.parametrize(
    "headers",
    [{"b1s_schema": "demo.schema"}, {"b1s_wcfcompatible": "true"}],
)
def test_options_with_an_unsimulated_effect_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(NotSimulatedError):
        check_options(asking(**headers))
