"""Fingerprints under the store's secret."""

import hashlib

from erp_gateway.writes.secret import StoreSecret

SECRET = b"planted-secret--planted-secret--"


def test_the_mac_depends_on_parts_secret_and_purpose() -> None:
    mac = StoreSecret(SECRET).mac
    assert mac("body", b"{}") == StoreSecret(SECRET).mac("body", b"{}")
    others = [
        mac("body", b"{}"),
        mac("key", b"{}"),
        mac("body", b"{", b"}"),
        mac("body", b"", b"{}"),
        StoreSecret(b"another").mac("body", b"{}"),
        hashlib.sha256(b"{}").digest(),
    ]
    assert len(set(others)) == len(others)


def test_the_repr_of_the_store_secret_hides_it() -> None:
    secret = StoreSecret(SECRET)
    assert "planted" not in f"{secret!r} {secret} {secret.mac('body', b'')!r}"
