"""Login by challenge and response with SCRAMSHA256 and SCRAMPBKDF2SHA256, both fully checked.

Steps and formulas follow SAP/go-hdb's ``auth`` folder. The password is hashed in CESU-8, as ``hdbcli`` does.
"""

import hashlib
import hmac
import struct
from collections.abc import Sequence

from attrs import field, frozen

from erpsim.hana.protocol import cesu8

PBKDF2 = "SCRAMPBKDF2SHA256"
PLAIN = "SCRAMSHA256"
ROUNDS = 15_000


@frozen
class Challenge:
    """Challenge of the server that the client must answer.

    Attributes:
        method: `PBKDF2` or `PLAIN`.
        client: the client's challenge.
        salt: 16 bytes.
        server: 48 bytes.
    """

    method: str
    client: bytes = field(repr=False)
    salt: bytes = field(repr=False)
    server: bytes = field(repr=False)

    def reply(self) -> bytes:
        """Return the field list of the challenge."""
        fields = [self.salt, self.server]
        if self.method == PBKDF2:
            fields.append(struct.pack(">I", ROUNDS))
        return pack_fields([self.method.encode(), pack_fields(fields)])

    def proofs(self, password: str) -> tuple[bytes, bytes]:
        """Return the client's and the server's proof for a password."""
        raw = cesu8.encode(password)
        if self.method == PBKDF2:
            salted = hashlib.pbkdf2_hmac("sha256", raw, self.salt, ROUNDS)
        else:
            salted = _hmac(raw, self.salt)
        client_key = hashlib.sha256(salted).digest()
        stored_key = hashlib.sha256(client_key).digest()
        signature = _hmac(stored_key, self.salt + self.server + self.client)
        client_proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
        server_proof = _hmac(_hmac(salted, self.salt), self.client + self.salt + self.server)
        return client_proof, server_proof

    def final_reply(self, password: str) -> bytes:
        """Return the field list that completes a successful login."""
        proof = pack_fields([self.proofs(password)[1]]) if self.method == PBKDF2 else b""
        return pack_fields([self.method.encode(), proof])


def choose_method(fields: Sequence[bytes], accepted: Sequence[str]) -> tuple[str, bytes] | None:
    """Return the first offered method that is accepted, with the client's challenge; fields come in pairs
    after the user."""
    offers = {fields[i].decode("ascii", "replace"): fields[i + 1] for i in range(1, len(fields) - 1, 2)}
    return next(((method, offers[method]) for method in accepted if method in offers), None)


def fold_user(user: str) -> str:
    """Fold a user name as the server does: upper case unless quoted."""
    quoted = len(user) > 1 and user.startswith('"') and user.endswith('"')
    return user[1:-1].replace('""', '"') if quoted else user.upper()


def pack_fields(fields: Sequence[bytes]) -> bytes:
    """Build a field list."""
    return struct.pack("<H", len(fields)) + b"".join(_field(item) for item in fields)


def parse_fields(data: bytes) -> list[bytes]:
    """Read a field list."""
    (count,) = struct.unpack_from("<H", data)
    fields, position = [], 2
    for _ in range(count):
        length = data[position]
        position += 1
        if length == 255:  # noqa: PLR2004 - the protocol's own bound
            (length,) = struct.unpack_from(">H", data, position)
            position += 2
        fields.append(data[position : position + length])
        position += length
    return fields


def parse_proof(data: bytes) -> bytes:
    """Read a client's proof, a field list of one field.

    SAP's own drivers write the count in either byte order: `hdbcli` little-endian, node-hdb
    (`lib/protocol/auth/SCRAMSHA256.js`) big-endian.

    Raises:
        ValueError: there are more fields, or none.
    """
    if data[:2] not in {b"\1\0", b"\0\1"}:
        raise ValueError("not one proof")
    (proof,) = parse_fields(b"\1\0" + data[2:])
    return proof


def _field(item: bytes) -> bytes:
    short = len(item) <= 250  # noqa: PLR2004 - the protocol's own bound
    return (bytes([len(item)]) if short else b"\xff" + struct.pack(">H", len(item))) + item


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")
