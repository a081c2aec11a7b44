"""A fingerprint recognises a stored password with the session's token only."""

import hashlib

from erp_gateway.people.auth.password_fingerprint import is_marked, mark_key, mark_password
from servicekit.config import Secret


def test_a_mark_knows_its_password_by_its_own_token_only() -> None:
    token, other = "t" * 43, "u" * 43
    mark = mark_password(mark_key(token), Secret("contraseña ☃"))
    assert is_marked(mark, mark_key(token), Secret("contraseña ☃"))
    assert not is_marked(mark, mark_key(token), Secret("contraseña"))
    assert not is_marked(mark, mark_key(other), Secret("contraseña ☃"))
    assert "☃".encode() not in mark
    assert mark_key(token) != hashlib.sha256(token.encode()).digest()
