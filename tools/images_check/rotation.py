"""Step about a new password of the ERP user: a forgotten secret, then the right order."""

import time
from functools import partial

from stack.company import COMPANY, ERP_PASSWORD, ERP_USER
from stack.exchange import Answer, exchange
from stack.existing import trusting_anybody

from tools.images_check.runbook import Runbook, demand

NEXT_PASSWORD = "next-quarter"
FORGOTTEN_FOR_S = 12.0
MOST_LOGINS = 3
"""Limit of login attempts with a rejected password in that time: at once, after 5 s, after 10 s more."""


def rotate_the_password(book: Runbook) -> None:
    """Change the password in the ERP: few refused logins until the secret follows, and no lock."""
    _change_in_the_erp(book, ERP_PASSWORD, NEXT_PASSWORD)
    book.sign_in("ana")  # the open session continues
    book.compose("restart", "erp-gateway")
    book.answers_again("/api/health", within_s=60)
    refused = _logins_in(book, FORGOTTEN_FOR_S)
    demand(holds=0 < refused <= MOST_LOGINS, what=f"{refused} logins were refused in {FORGOTTEN_FOR_S:g} s")
    health = book.ask("GET", "/api/health/erp")
    reason = (health.body or {}).get("reason")
    demand(holds=(health.status, reason) == (503, "login_refused"), what=f"{health.status} {reason}")
    print(f"     forgotten for {FORGOTTEN_FOR_S:g} s: {refused} refused logins, login_refused", flush=True)
    _follow(book, NEXT_PASSWORD)
    _change_in_the_erp(book, NEXT_PASSWORD, ERP_PASSWORD)
    _follow(book, ERP_PASSWORD)


def _follow(book: Runbook, password: str) -> None:
    """Write the secret, recreate the container, and check that users can work."""
    begun = time.monotonic()
    before = _refused(book)
    book.site.secret.write_text(password, encoding="utf-8")
    book.compose("up", "--detach", "--no-build", "--no-deps", "--force-recreate", "--wait", "erp-gateway")
    book.answers_again("/api/health", within_s=60)
    book.sign_in("ana")
    health = book.ask("GET", "/api/health/erp")
    demand(holds=health.status == 200, what=f"the ERP is {health.content[:200]!r}")
    demand(holds=_refused(book) == before, what="a login was refused after the secret had followed")
    print(f"     people work again {time.monotonic() - begun:.1f} s after the secret was changed", flush=True)


def _change_in_the_erp(book: Runbook, old: str, new: str) -> None:
    erp = partial(exchange, book.site.erpsim_port, tls=trusting_anybody())
    login = erp("POST", "/b1s/v1/Login", {"CompanyDB": COMPANY, "UserName": ERP_USER, "Password": old})
    demand(holds=login.status == 200, what=f"{ERP_USER}: {login.status}")
    session = {"Cookie": f"B1SESSION={login.body['SessionId']}"}
    query = f"/b1s/v1/Users?$select=InternalKey&$filter=UserCode%20eq%20%27{ERP_USER}%27"
    key = erp("GET", query, headers=session).body["value"][0]["InternalKey"]
    changed: Answer = erp("PATCH", f"/b1s/v1/Users({key})", {"UserPassword": new}, headers=session)
    demand(holds=changed.status == 204, what=f"the password: {changed.status} {changed.content[:200]!r}")
    erp("POST", "/b1s/v1/Logout", headers=session)


def _logins_in(book: Runbook, seconds: float) -> int:
    """Send requests for some seconds; return the number of logins that the ERP refused."""
    before = _refused(book)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        body = {"username": "ana", "password": "ana-demo"}
        answer = book.ask("POST", "/api/auth/login", body)
        demand(holds=answer.code == "upstream_login_failed", what=f"{answer.status} {answer.code}")
        time.sleep(0.25)
    return _refused(book) - before


def _refused(book: Runbook) -> int:
    calls = book.control("GET", "/calls?method=POST&path=Login")["calls"]
    return sum(each["status"] != 200 for each in calls)
