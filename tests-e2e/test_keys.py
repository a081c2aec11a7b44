"""Keys of any spelling come through nginx, the router and the ERP's own encoding unharmed."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from stack.exchange import Answer

Ask = Callable[..., Answer]

KEYS = ["Z/1", "10%", "50%2F", "D'Angelo", "¿qué?", "#1", "a+b c", "ñandú", "a&b=c", "x;y", "..", "a//b"]


@pytest.mark.parametrize("code", KEYS)
def test_item_with_any_key_is_created_read_changed_and_read(ask: Ask, administrator: str, code: str) -> None:
    name = f"Artículo {code}"
    created = ask("POST", "/api/sl/Items", {"ItemCode": code, "ItemName": name}, token=administrator)
    assert created.status == 201, created.content
    path = f"/api/sl/Items/{quote(code, safe='')}"
    assert created.headers["Location"].endswith(quote(code, safe=""))
    read = ask("GET", path, token=administrator)
    assert (read.status, read.body["ItemCode"], read.body["ItemName"]) == (200, code, name)
    changed = ask("PATCH", path, {"ItemName": f"{name}, otro"}, token=administrator)
    assert changed.status == 204
    assert ask("GET", path, token=administrator).body["ItemName"] == f"{name}, otro"


def test_an_encoded_slash_before_cancel_belongs_to_the_key(
    ask: Ask, control: Ask, administrator: str
) -> None:
    control("DELETE", "/calls")
    answer = ask("POST", "/api/sl/IncomingPayments/12%2FCancel", token=administrator)
    assert answer.status in {400, 404, 405}
    writes = [call for call in control("GET", "/calls?method=POST").body["calls"] if call["path"] != "Login"]
    assert writes == []


@pytest.mark.parametrize("spelling", ["%2", "%zz", "%ff", "%00"])
def test_a_key_that_is_no_text_is_400(ask: Ask, administrator: str, spelling: str) -> None:
    answer = ask("GET", f"/api/sl/Items/A{spelling}", token=administrator)
    assert answer.status == 400
    assert answer.headers.get_content_type() == "application/problem+json"


def test_dot_segments_do_not_reach_other_resources(ask: Ask, administrator: str) -> None:
    for path in (
        "/api/sl/Items/%2e%2e/EmployeesInfo",
        "/api/sl/../sl/EmployeesInfo",
        "/api//sl/EmployeesInfo",
    ):
        assert ask("GET", path, token=administrator).status in {400, 404, 405}
