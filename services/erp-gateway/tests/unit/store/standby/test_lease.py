"""When a process may send: never when another one may, whatever becomes of connections and answers."""

import pytest
from attrs import evolve

from erp_gateway.store.standby.lease import LeaseState, Tenure, TenureRules, open_guarded_transport
from erpclient import Caller, Credentials, ErpClient, ErpSettings, QueueClosed
from erpclient.odata import ListQuery
from erpsim.simulator import run_sim

RULES = TenureRules()
SERVING = Tenure().taken(100.0)


def test_who_waits_may_not_send() -> None:
    assert not Tenure().may_send(0.0)
    assert Tenure().confirmed(1.0).standing is LeaseState.STANDBY
    assert Tenure().away(1.0, 99.0, is_down=True).standing is LeaseState.STANDBY
    assert Tenure().denied().standing is LeaseState.STANDBY


@pytest.mark.parametrize(("now_s", "may"), [(100.0, True), (100.999, True), (101.0, False), (160.0, False)])
def test_an_answer_is_trusted_for_a_while_from_when_it_was_asked_for(now_s: float, may: bool) -> None:
    assert SERVING.may_send(now_s) is may
    assert SERVING.confirmed(101.0).may_send(now_s + 1.0) is may


def test_an_older_answer_takes_nothing_back() -> None:
    assert SERVING.confirmed(105.0).confirmed(103.0) == SERVING.confirmed(105.0)


def test_a_denial_is_for_good() -> None:
    lost = SERVING.denied()
    assert lost.standing is LeaseState.LOST
    assert not lost.may_send(100.0)
    assert lost.confirmed(101.0) == lost == lost.away(101.0, 101.0, is_down=True)


def test_a_server_that_is_down_gives_the_lock_to_nobody_so_calls_go_on() -> None:
    down = SERVING.away(101.0, 101.1, is_down=True)
    assert down.may_send(101.9)
    assert not down.may_send(102.0)
    assert down.away(102.2, 102.2, is_down=True).may_send(103.1)


def test_who_has_not_asked_for_a_while_does_not_know_that_the_server_was_down_all_the_time() -> None:
    down = SERVING.away(101.25, 101.3, is_down=True)
    assert down == SERVING
    assert not down.away(101.5, 101.5, is_down=True).may_send(101.5)
    assert down.confirmed(102.0).may_send(102.9)


def test_a_server_that_gives_no_answer_may_have_given_the_lock_away() -> None:
    silent = SERVING.away(100.5, 102.0, is_down=False)
    assert silent == SERVING
    assert not silent.may_send(101.0)


@pytest.mark.parametrize("is_down", [True, False])
def test_a_server_that_stays_away_costs_the_lock(is_down: bool) -> None:
    assert SERVING.away(129.0, 129.9, is_down=is_down).standing is LeaseState.SERVING
    assert SERVING.away(129.9, 130.0, is_down=is_down).standing is LeaseState.LOST
    kept = SERVING.away(125.0, 125.0, is_down=is_down).confirmed(129.0)
    assert kept.away(130.0, 158.9, is_down=is_down).standing is LeaseState.SERVING


@pytest.mark.parametrize(
    "seconds", [{"heartbeat_s": 1.0}, {"trust_s": 1.25}, {"pause_s": 1.0}, {"heartbeat_s": 2.0}]
)
def test_seconds_with_which_two_could_send_are_refused(seconds: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must hold"):
        evolve(RULES, **seconds)


@pytest.mark.asyncio
async def test_a_process_that_may_not_send_sends_nothing() -> None:
    leave = [True]

    async def permit() -> bool:
        return leave[0]

    async with run_sim() as sim:
        settings, me = ErpSettings(sim.url), Credentials("SBO_DEMO", "manager", "erpsim")
        async with (
            open_guarded_transport(settings, permit) as transport,
            ErpClient(settings, me, transport=transport) as erp,
        ):
            await erp.list("Items", ListQuery(top=1), caller=Caller("ana"))
            before = len(sim.calls)
            leave[0] = False
            with pytest.raises(QueueClosed):
                await erp.list("Items", ListQuery(top=1), caller=Caller("ana"))
            with pytest.raises(QueueClosed):
                await erp.create("Items", b"{}", caller=Caller("ana"))
        assert len(sim.calls) == before
