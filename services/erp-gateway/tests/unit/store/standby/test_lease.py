"""When a process may send: never when another one may, whatever becomes of connections and answers."""

import pytest
from attrs import evolve

from erp_gateway.store.standby.lease import LeaseState, Tenure, TenureRules, open_guarded_transport
from erpclient import Caller, Credentials, ErpClient, ErpSettings, QueueClosed
from erpclient.odata import ListQuery
from erpsim.simulator import run_sim

RULES = TenureRules()
SERVING = Tenure().acquired(100.0)


def test_a_standby_may_not_send() -> None:
    assert not Tenure().may_send(0.0)
    assert Tenure().confirmed(1.0).state is LeaseState.STANDBY
    assert Tenure().unreachable(1.0, 99.0, is_down=True).state is LeaseState.STANDBY
    assert Tenure().denied().state is LeaseState.STANDBY


@pytest.mark.parametrize(("now_s", "may"), [(100.0, True), (100.999, True), (101.0, False), (160.0, False)])
def test_a_confirmation_counts_from_the_time_of_its_request(now_s: float, may: bool) -> None:
    assert SERVING.may_send(now_s) is may
    assert SERVING.confirmed(101.0).may_send(now_s + 1.0) is may


def test_an_older_reply_changes_nothing() -> None:
    assert SERVING.confirmed(105.0).confirmed(103.0) == SERVING.confirmed(105.0)


def test_a_denial_is_final() -> None:
    lost = SERVING.denied()
    assert lost.state is LeaseState.LOST
    assert not lost.may_send(100.0)
    assert lost.confirmed(101.0) == lost == lost.unreachable(101.0, 101.0, is_down=True)


def test_calls_continue_while_the_server_is_down() -> None:
    down = SERVING.unreachable(101.0, 101.1, is_down=True)
    assert down.may_send(101.9)
    assert not down.may_send(102.0)
    assert down.unreachable(102.2, 102.2, is_down=True).may_send(103.1)


def test_a_gap_in_the_checks_does_not_prove_that_the_server_was_down() -> None:
    down = SERVING.unreachable(101.25, 101.3, is_down=True)
    assert down == SERVING
    assert not down.unreachable(101.5, 101.5, is_down=True).may_send(101.5)
    assert down.confirmed(102.0).may_send(102.9)


def test_a_silent_server_may_have_given_the_lock_to_another_process() -> None:
    silent = SERVING.unreachable(100.5, 102.0, is_down=False)
    assert silent == SERVING
    assert not silent.may_send(101.0)


@pytest.mark.parametrize("is_down", [True, False])
def test_the_lock_is_lost_after_the_grace_period(is_down: bool) -> None:
    assert SERVING.unreachable(129.0, 129.9, is_down=is_down).state is LeaseState.SERVING
    assert SERVING.unreachable(129.9, 130.0, is_down=is_down).state is LeaseState.LOST
    later = SERVING.unreachable(125.0, 125.0, is_down=is_down).confirmed(129.0)
    assert later.unreachable(130.0, 158.9, is_down=is_down).state is LeaseState.SERVING


@pytest.mark.parametrize(
    "seconds", [{"heartbeat_s": 1.0}, {"trust_s": 1.25}, {"pause_s": 1.0}, {"heartbeat_s": 2.0}]
)
def test_limits_that_would_let_two_processes_send_are_rejected(seconds: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must hold"):
        evolve(RULES, **seconds)


@pytest.mark.asyncio
async def test_a_process_that_may_not_send_sends_no_request() -> None:
    leave = [True]

    async def may_send() -> bool:
        return leave[0]

    async with run_sim() as sim:
        settings, me = ErpSettings(sim.url), Credentials("SBO_DEMO", "manager", "erpsim")
        async with (
            open_guarded_transport(settings, may_send) as transport,
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
