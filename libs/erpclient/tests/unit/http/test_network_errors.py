"""Codes of network errors."""

import socket
import ssl

import pytest

from erpclient.http.network_errors import find_network_code


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(113, "No route to host"), "EHOSTUNREACH"),
        (OSError(101, "Network is unreachable"), "ENETUNREACH"),
        (OSError(110, "Connection timed out"), "ETIMEDOUT"),
        (OSError(111, "Connection refused"), "ECONNREFUSED"),
        (ConnectionResetError(104, "Connection reset by peer"), "ECONNRESET"),
        (OSError("Multiple exceptions: [Errno 111] Connect call failed, [Errno 101] …"), "ECONNREFUSED"),
        (OSError("nothing known"), "ECONNRESET"),
        (socket.gaierror(-2, "Name or service not known"), "ENOTFOUND"),
        (ssl.SSLError(1, "WRONG_VERSION_NUMBER"), "CERT"),
    ],
)
def test_network_codes_are_a_closed_list(error: OSError, code: str) -> None:
    assert find_network_code(error) == code
