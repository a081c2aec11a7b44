"""Reproducible seeds with the books of a Chilean building supplies trader.

Seeds: `full` (5,000 items, 400 partners, 20 warehouses, documents of 2024 and 2025), `small` (the same
in a smaller size, for unit tests), `returns` (small, with goods to return as in `full`) and `empty`
(settings, users and employees only).

Goods to return: receipts of 60 suppliers in three warehouses, 20,000 of their lines open (`returns`: 6 and
200). Some are invoiced, closed or partly sent back, some came in boxes of twelve, some cost dollars; items
managed by batch or serial number, an inactive one, and a warehouse with bin locations (`03`) are among them.

| web user | password | what it shows |
|---|---|---|
| `ana` | `ana-demo` | plain password, active; the demo's administrator |
| `luis` | `luis-demo` | plain password, active |
| `carmen` | `carmen-demo` | stored as an Argon2id hash |
| `pedro` | `pedro-demo` | employee not active |
| `rosa` | `rosa-demo` | two active employees have this web user |
| `diego` | (empty) | an empty stored password |
"""

from __future__ import annotations

from erpsim.seeds.catalogue import ODD_ITEM_CODES
from erpsim.seeds.loading import load_seed
from erpsim.seeds.people import ERP_USERS, WEB_USERS
from erpsim.seeds.scale import SCALES

__all__ = ["ERP_USERS", "ODD_ITEM_CODES", "SCALES", "WEB_USERS", "load_seed"]
