"""A fingerprint recognises a stored password with the session's token only."""

import hashlib

from erp_gateway.people.auth.password_fingerprint import fingerprint, fingerprint_key, matches_fingerprint
from servicekit.config import Secret


def test_a_fingerprint_matches_its_password_only_with_its_token() -> None:
    token, other = "t" * 43, "u" * 43
    mark = fingerprint(fingerprint_key(token), Secret("contraseña ☃"))
    assert matches_fingerprint(mark, fingerprint_key(token), Secret("contraseña ☃"))
    assert not matches_fingerprint(mark, fingerprint_key(token), Secret("contraseña"))
    assert not matches_fingerprint(mark, fingerprint_key(other), Secret("contraseña ☃"))
    assert "☃".encode() not in mark
    assert fingerprint_key(token) != hashlib.sha256(token.encode()).digest()
