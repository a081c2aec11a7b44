"""Calls, as the Service Layer reads them."""

import pytest

from erpclient.http.calls import (
    Call,
    action_call,
    create_call,
    key_filter_call,
    list_call,
    modify_call,
    record_call,
    service_call,
)


@pytest.mark.parametrize(
    ("call", "method", "path", "headers", "write"),
    [
        (
            list_call("Items", "$top=5", page_size=5, case_insensitive=False),
            "GET", "/Items?$top=5", {"B1S-PageSize": "5"}, False,
        ),
        (
            list_call("Items", "$top=5", page_size=5, case_insensitive=True),
            "GET", "/Items?$top=5", {"B1S-PageSize": "5", "B1S-CaseInsensitive": "true"}, False,
        ),
        (record_call("Items", "('A%2F1')", ""), "GET", "/Items('A%2F1')", {}, False),
        (record_call("Items", "(5)", "$select=A"), "GET", "/Items(5)?$select=A", {}, False),
        (key_filter_call("Items", "$filter=x"), "GET", "/Items?$filter=x", {}, False),
        (create_call("Orders", b"{}"), "POST", "/Orders", {}, True),
        (
            modify_call("Orders", "(5)", b"{}", if_match='W/"A"', replace_collections=True),
            "PATCH", "/Orders(5)", {"If-Match": 'W/"A"', "B1S-ReplaceCollectionsOnPatch": "true"}, True,
        ),
        (
            modify_call("Orders", "(5)", b"{}", if_match=None, replace_collections=False),
            "PATCH", "/Orders(5)", {}, True,
        ),
        (
            action_call("Orders", "(5)", "Cancel", b"", if_match="*"),
            "POST", "/Orders(5)/Cancel", {"If-Match": "*"}, True,
        ),
        (service_call("S_Get", b"{}", write=False), "POST", "/S_Get", {}, False),
        (record_call("My Doc", "(1)", ""), "GET", "/My%20Doc(1)", {}, False),
    ],
)  # fmt: skip
def test_each_call_has_the_method_path_and_headers_of_the_service_layer(
    call: Call, method: str, path: str, headers: dict[str, str], write: bool
) -> None:
    assert (call.method, call.path, call.headers, call.write) == (method, path, headers, write)


def test_an_action_without_a_body_sends_none() -> None:
    assert action_call("Orders", "(5)", "Close", b"", if_match=None).body is None
    assert action_call("Orders", "(5)", "Close", b"{}", if_match=None).body == b"{}"
    assert service_call("S_Get", b"", write=False).body is None
