"""Names in the audit lines match the documentation and the gateway's audit."""

import re
from pathlib import Path

from supplier_returns.auth.service import LoginFailure
from supplier_returns.web.audit_log import Action, Result

DOCUMENT = (Path(__file__).parents[5] / "docs" / "audit.md").read_text(encoding="utf-8")
GATEWAY, OWN = DOCUMENT.split("## supplier-returns")


def test_the_docs_list_every_action_and_reason() -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \|.*\|$", OWN, re.MULTILINE)
    assert rows == [action.value for action in Action]
    assert all(f"`{reason.value}`" in OWN for reason in LoginFailure)


def test_results_have_the_values_of_the_gateways_audit() -> None:
    (words,) = re.findall(r"^\| `result` \| (.*) \|$", GATEWAY, re.MULTILINE)
    assert all(f"`{result.value}`" in words for result in Result)


def test_actions_have_the_names_of_the_gateways_audit() -> None:
    audited = re.findall(r"^\| `([a-z_]+)` \|", GATEWAY, re.MULTILINE)
    assert {Action.LOGIN, Action.LOGIN_FAILED, Action.LOGOUT} <= set(audited)
