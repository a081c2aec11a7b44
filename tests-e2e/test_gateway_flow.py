"""nginx passes on headers, tags and addresses between a web application and the gateway."""

from collections.abc import Callable

from stack.exchange import Answer

Ask = Callable[..., Answer]


def test_without_a_session_every_record_is_refused(ask: Ask) -> None:
    answer = ask("GET", "/api/sl/Items")
    assert (answer.status, answer.code) == (401, "session_required")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_list_response_has_server_timing(ask: Ask, clerk: str) -> None:
    answer = ask("GET", "/api/sl/Items?$top=1", token=clerk)
    assert "queue" in answer.headers["Server-Timing"]


def test_an_order_is_created_read_and_changed_with_its_tag(ask: Ask, clerk: str, order: int) -> None:
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


def test_a_change_with_a_stale_tag_answers_412_and_is_not_applied(ask: Ask, clerk: str, order: int) -> None:
    path = f"/api/sl/Orders/{order}"
    tag = ask("GET", path, token=clerk).headers["ETag"]
    first = ask("PATCH", path, {"Comments": "primero"}, token=clerk, headers={"If-Match": tag})
    assert first.status == 204
    stale = ask("PATCH", path, {"Comments": "segundo"}, token=clerk, headers={"If-Match": tag})
    assert (stale.status, stale.code) == (412, "stale_etag")
    assert ask("GET", path, token=clerk).body["Comments"] == "primero"


def test_the_location_of_a_created_order_leads_to_it(
    ask: Ask, clerk: str, make_order: Callable[[], dict[str, object]]
) -> None:
    created = ask("POST", "/api/sl/Orders", make_order(), token=clerk)
    assert created.status == 201
    assert ask("GET", created.headers["Location"], token=clerk).body["DocEntry"] == created.body["DocEntry"]


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
