"""Proofs of a login, as the drivers write them."""

import pytest

from erpsim.hana.protocol.login import parse_proof

PROOF = bytes(range(32))


@pytest.mark.parametrize("count", [b"\1\0", b"\0\1"], ids=["hdbcli", "node-hdb"])
def test_a_proof_is_read_in_either_byte_order(count: bytes) -> None:
    assert parse_proof(count + b"\x20" + PROOF) == PROOF


@pytest.mark.parametrize("count", [b"\0\0", b"\2\0", b""])
def test_a_reply_without_exactly_one_proof_is_refused(count: bytes) -> None:
    with pytest.raises(ValueError, match="not one proof"):
        parse_proof(count + b"\x20" + PROOF)
