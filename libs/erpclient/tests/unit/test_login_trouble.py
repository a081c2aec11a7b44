"""Why a login gave no session."""

import pytest

from erpclient import (
    ErpError,
    ErpLoginRejected,
    ErpReplyUnreadable,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    Phase,
)
from erpclient.login_trouble import LoginTrouble, login_trouble


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (ErpLoginRejected(100000027, "Login failed"), LoginTrouble.REFUSED),
        (ErpLoginRejected(-304, "Fail to get DB Credentials from SLD"), LoginTrouble.REFUSED),
        (ErpLoginRejected(305, "Switch company error: -8023"), LoginTrouble.REFUSED),
        (ErpLoginRejected(100000055, "User account is locked"), LoginTrouble.USER_LOCKED),
        (
            ErpServerError(401, -304, "Fail to Get the Bound Database Instance from SLD"),
            LoginTrouble.NO_DIRECTORY,
        ),
        (ErpLoginRejected(None, "Login failed"), LoginTrouble.REFUSED),
        (ErpLoginRejected(None, ""), LoginTrouble.UNREADABLE),
        (ErpLoginRejected(305, "Switch company error: -5027"), LoginTrouble.UNKNOWN_COMPANY),
        (ErpServerError(500, 305, "Switch company error: -8009"), LoginTrouble.NO_LICENCE),
        (ErpServerError(500, 305, "Switch company error: -1102"), LoginTrouble.COMPANY_CLOSED),
        (ErpServerError(502, None, ""), LoginTrouble.COMPANY_CLOSED),
        (ErpTimeout(Phase.ANSWER), LoginTrouble.SILENT),
        (ErpUnreachable("ECONNRESET", Phase.ANSWER), LoginTrouble.SILENT),
        (ErpReplyUnreadable("no JSON"), LoginTrouble.UNREADABLE),
    ],
)
def test_each_login_failure_has_its_cause(error: ErpError, trouble: LoginTrouble) -> None:
    assert login_trouble(error) is trouble
