"""ERP users: logging in, and how it is refused."""

from __future__ import annotations

import pytest

from erpsim.company.exchange import Caller
from erpsim.company.switches import Switches, WrongLogin
from erpsim.desk import Desk
from erpsim.seeds import ERP_USERS
from erpsim.world import World


@pytest.mark.parametrize("user", ["manager", "bodega"])
def test_existing_users_log_in(world: World, user: str) -> None:
    assert world.authenticate("SBO_DEMO", user, ERP_USERS[user]) == user


@pytest.mark.parametrize(
    ("user", "password"),
    [("manager", "wrong"), ("manager", ""), ("nobody", "erpsim"), ("Manager", "erpsim"), ("", "")],
)
def test_wrong_credentials_are_refused_according_to_the_switch(desk: Desk, user: str, password: str) -> None:
    refusal = desk.refusal(desk.world.authenticate, "SBO_DEMO", user, password)
    assert (refusal.status, refusal.code, refusal.text) == (401, 100000027, "Login failed")
    desk.world.switches = Switches(wrong_login=WrongLogin.SLD)
    refusal = desk.refusal(desk.world.authenticate, "SBO_DEMO", user, password)
    assert (refusal.status, refusal.code) == (401, -304)
    assert refusal.text == "Fail to get DB Credentials from SLD"


def test_an_unavailable_company_answers_500(desk: Desk) -> None:
    refusal = desk.refusal(desk.world.authenticate, "OTRA", "manager", "erpsim")
    assert (refusal.status, refusal.code, refusal.text) == (500, 305, "Switch company error: -5027")
    desk.world.switches = Switches(company_error=-1102)
    refusal = desk.refusal(desk.world.authenticate, "SBO_DEMO", "manager", "erpsim")
    assert refusal.text == "Switch company error: -1102"


def test_a_new_user_logs_in_and_a_locked_user_does_not(desk: Desk) -> None:
    made = desk.create("Users", {"UserCode": "nuevo", "UserPassword": "Uno"})
    desk.world.authenticate("SBO_DEMO", "nuevo", "Uno")
    key = int(str(made["InternalKey"]))
    desk.change("Users", key, {"UserPassword": "Dos"})
    desk.world.authenticate("SBO_DEMO", "nuevo", "Dos")
    assert desk.refusal(desk.world.authenticate, "SBO_DEMO", "nuevo", "Uno").status == 401
    desk.change("Users", key, {"Locked": "tYES"})
    refusal = desk.refusal(desk.world.authenticate, "SBO_DEMO", "nuevo", "Dos")
    assert (refusal.status, refusal.code) == (401, 100000055)
    desk.world.switches = Switches(wrong_login=WrongLogin.SLD)
    assert desk.refusal(desk.world.authenticate, "SBO_DEMO", "nuevo", "Dos").code == -304


def test_repeated_wrong_passwords_lock_a_user_until_a_superuser_unlocks(desk: Desk) -> None:
    desk.world.switches = Switches(logins_before_lock=3)

    def code(password: str) -> int:
        return desk.refusal(desk.world.authenticate, "SBO_DEMO", "bodega", password).code

    assert [code("wrong"), code("wrong")] == [100000027] * 2
    desk.world.authenticate("SBO_DEMO", "bodega", ERP_USERS["bodega"])
    assert [code("wrong") for _ in range(3)] == [100000027] * 3, "the right password reset the count"
    assert code(ERP_USERS["bodega"]) == 100000055
    desk.world.authenticate("SBO_DEMO", "manager", ERP_USERS["manager"])
    key = desk.world.company.user_key("bodega")
    normal_user = Desk(desk.world, Caller(user="bodega"))
    assert desk.refusal(normal_user.change, "Users", key, {"Locked": "tNO"}).status == 403
    desk.change("Users", key, {"Locked": "tNO"})
    desk.world.authenticate("SBO_DEMO", "bodega", ERP_USERS["bodega"])


def test_without_the_switch_wrong_passwords_do_not_lock_users(desk: Desk) -> None:
    for _ in range(30):
        assert desk.refusal(desk.world.authenticate, "SBO_DEMO", "bodega", "wrong").code == 100000027
    desk.world.authenticate("SBO_DEMO", "bodega", ERP_USERS["bodega"])
