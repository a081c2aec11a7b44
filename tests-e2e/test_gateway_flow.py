"""The gateway's main job through nginx, against the simulated ERP, as a web application sees it."""

import json
from collections.abc import Callable

import pytest
from tools.stack.exchange import Answer

Ask = Callable[..., Answer]


def test_login_tells_who_the_user_is(ask: Ask, clerk: str) -> None:
    me = ask("GET", "/api/auth/me", token=clerk)
    assert me.status == 200
    assert me.body["webUser"] == "luis"
    assert me.body["isAdmin"] is False
    assert me.body["allowedPaths"] == ["/ventas/pedidos/*", "/socios"]


def test_wrong_password_is_401_without_saying_what_was_wrong(ask: Ask) -> None:
    wrong = ask("POST", "/api/auth/login", {"username": "rosa", "password": "no"})
    unknown = ask("POST", "/api/auth/login", {"username": "nadie", "password": "no"})
    assert (wrong.status, wrong.code) == (unknown.status, unknown.code) == (401, "invalid_credentials")
    assert wrong.body["detail"] == unknown.body["detail"]


def test_without_a_session_nothing_is_answered(ask: Ask) -> None:
    answer = ask("GET", "/api/sl/Items")
    assert (answer.status, answer.code) == (401, "session_required")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_list_has_rows_and_a_count_that_is_a_number(ask: Ask, clerk: str) -> None:
    answer = ask("GET", "/api/sl/Items?$select=ItemCode&$orderby=ItemCode&$top=30", token=clerk)
    assert answer.status == 200
    assert len(answer.body["value"]) == 30
    assert type(answer.body["odata.count"]) is int
    assert answer.body["odata.count"] > 30
    assert "odata.nextLink" not in answer.body


def test_list_tells_where_the_time_went(ask: Ask, clerk: str) -> None:
    answer = ask("GET", "/api/sl/Items?$top=1", token=clerk)
    assert "queue" in answer.headers["Server-Timing"]


@pytest.mark.parametrize("query", ["$apply=x", "$filter=ItemCode%20eq", "$top=501", "$top=1&$top=2"])
def test_bad_option_is_400_and_says_which(ask: Ask, clerk: str, query: str) -> None:
    answer = ask("GET", f"/api/sl/Items?{query}", token=clerk)
    assert answer.status == 400
    assert answer.body["option"].startswith("$")


def test_order_is_created_read_and_changed_with_its_tag(ask: Ask, clerk: str, order: int) -> None:
    path = f"/api/sl/Orders/{order}"
    read = ask("GET", f"{path}?$select=DocEntry,Comments", token=clerk)
    assert read.status == 200
    assert read.body["odata.etag"] == read.headers["ETag"]
    change = {"Comments": "Entregar mañana"}
    changed = ask("PATCH", path, change, token=clerk, headers={"If-Match": read.headers["ETag"]})
    assert (changed.status, changed.content) == (204, b"")
    again = ask("GET", path, token=clerk)
    assert again.body["Comments"] == "Entregar mañana"
    assert again.headers["ETag"] != read.headers["ETag"]


def test_change_with_a_stale_tag_is_412_and_changes_nothing(ask: Ask, clerk: str, order: int) -> None:
    path = f"/api/sl/Orders/{order}"
    tag = ask("GET", path, token=clerk).headers["ETag"]
    first = ask("PATCH", path, {"Comments": "primero"}, token=clerk, headers={"If-Match": tag})
    assert first.status == 204
    stale = ask("PATCH", path, {"Comments": "segundo"}, token=clerk, headers={"If-Match": tag})
    assert (stale.status, stale.code) == (412, "stale_etag")
    assert ask("GET", path, token=clerk).body["Comments"] == "primero"


def test_created_order_has_a_location_that_leads_to_it(
    ask: Ask, clerk: str, make_order: Callable[[], dict[str, object]]
) -> None:
    created = ask("POST", "/api/sl/Orders", make_order(), token=clerk)
    assert created.status == 201
    assert ask("GET", created.headers["Location"], token=clerk).body["DocEntry"] == created.body["DocEntry"]


def test_digits_of_a_price_come_back_as_they_were_sent(
    ask: Ask, clerk: str, customer: str, item: str
) -> None:
    body = (
        f'{{"CardCode": "{customer}", "DocDueDate": "2030-12-31", "DocumentLines": '
        f'[{{"ItemCode": "{item}", "Quantity": 1, "UnitPrice": 1234567890.123456}}]}}'
    )
    created = ask("POST", "/api/sl/Orders", body.encode(), token=clerk)
    assert created.status == 201
    assert b"1234567890.123456" in created.content


def test_what_permissions_deny_is_403_and_in_the_audit(ask: Ask, clerk: str, administrator: str) -> None:
    denied = ask("POST", "/api/sl/PurchaseOrders", {}, token=clerk, headers={"X-Request-ID": "e2e-denied"})
    assert (denied.status, denied.code) == (403, "permission_denied")
    records = ask("GET", "/api/audit?usuario=luis&resultado=denied", token=administrator).body["items"]
    assert "e2e-denied" in {record["requestId"] for record in records}


def test_employees_can_not_be_reached(ask: Ask, administrator: str) -> None:
    assert ask("GET", "/api/sl/EmployeesInfo", token=administrator).status == 404


def test_audit_tells_who_created_what_without_values(
    ask: Ask, clerk: str, administrator: str, order: int
) -> None:
    path = f"/api/audit?usuario=luis&accion=sl_create&recurso=Orders&key={order}"
    records = ask("GET", path.partition("&key")[0], token=administrator).body["items"]
    record = next(record for record in records if record["key"] == str(order))
    assert record["result"] == "ok"
    assert "DocumentLines[].ItemCode" in record["fields"]
    assert "1250.5" not in json.dumps(records)


def test_audit_is_for_administrators(ask: Ask, clerk: str) -> None:
    assert ask("GET", "/api/audit", token=clerk).status == 403


@pytest.mark.usefixtures("own_ports")  # a stack that is given may have another one
def test_last_administrator_stays(ask: Ask, administrator: str) -> None:
    answer = ask("PUT", "/api/permissions/ana", {"paths": ["/x"]}, token=administrator)
    assert (answer.status, answer.code) == (409, "last_administrator")


def test_document_describes_the_running_service(ask: Ask) -> None:
    document = ask("GET", "/api/openapi.json")
    assert document.body["openapi"].startswith("3.1")
    assert "/api/auth/login" in document.body["paths"]
    page = ask("GET", "/api/docs")
    assert page.status == 200
    assert page.headers.get_content_type() == "text/html"


def test_request_id_of_the_client_reaches_the_erp(ask: Ask, control: Ask, clerk: str) -> None:
    answer = ask("GET", "/api/sl/Warehouses?$top=7", token=clerk, headers={"X-Request-ID": "e2e-7.trace_1"})
    assert answer.headers["X-Request-ID"] == "e2e-7.trace_1"
    calls = control("GET", "/calls?method=GET&path=Warehouses").body["calls"]
    assert "e2e-7.trace_1" in {call["headers"].get("x-request-id") for call in calls}
