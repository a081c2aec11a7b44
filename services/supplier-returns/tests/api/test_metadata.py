"""The ERP's tables, fields and object: their state, and rebuilding them with interruptions."""

import asyncio
import json
from typing import TYPE_CHECKING, Any

import attrs
import httpx2
import pytest

from erpsim.company.exchange import Value
from erpsim.company.switches import MetadataVisible, Switches
from erpsim.faults import BadGateway, Delay, Drop, ExpireSession, Fault, Refuse, When
from erpsim.simulator import Simulator, run_sim
from supplier_returns.execution.fence import PROOF
from supplier_returns.metadata.definitions import load_definitions
from supplier_returns.saved_queries.queries import STORED_QUERIES

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

STATUS = "/api/metadata/status"
REBUILD = "/api/metadata/rebuild"
FIELDS = sum(len(group.fields) for group in load_definitions().groups)
THINGS = 5 + FIELDS + 1 + len(STORED_QUERIES)
"""Tables, fields, the object, the queries."""


def writes(sim: Simulator) -> list[str]:
    return [
        f"{call.method} {call.path}" for call in sim.calls if call.method != "GET" and call.path != "Login"
    ]


def states(status: dict[str, Any]) -> set[str]:
    rows = [*status["tablas"], *status["campos"], status["objeto"], *status["consultas"]]
    return {row["estado"] for row in rows}


@pytest.mark.asyncio
async def test_an_empty_company_gets_all_definitions_and_a_second_run_changes_nothing(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    before = (await manager.get(STATUS)).json()
    assert (before["completo"], states(before)) == (False, {"falta"})
    first = (await manager.post(REBUILD)).json()
    assert len(first["creados"]) == THINGS
    assert first["creados"][0] == "tabla @LIB_ODEV"
    assert first["creados"][-5:] == [
        "objeto LIB_ODEV",
        "consulta DP_Stock v3",
        "consulta DP_EntradasAbiertas v2",
        "consulta DP_Lotes v1",
        "consulta DP_Series v1",
    ]
    rest = {name: value for name, value in first.items() if name != "creados"}
    assert rest == {
        "actualizados": [],
        "sinCambios": 0,
        "errores": [],
        "pendienteReinicio": [],
        "mensaje": None,
    }
    done = len(writes(service.sim))
    second = (await manager.post(REBUILD, json={"simular": False})).json()
    assert second == {**rest, "creados": [], "sinCambios": THINGS}
    assert len(writes(service.sim)) == done
    after = (await manager.get(STATUS)).json()
    assert (after["completo"], states(after)) == (True, {"ok"})
    assert after["consultas"][0] == {
        "nombre": "DP_Stock",
        "version": 3,
        "versionInstalada": 3,
        "estado": "ok",
    }
    assert max(call.in_flight for call in service.sim.calls) == 1


@pytest.mark.asyncio
async def test_a_simulated_run_lists_its_steps_and_changes_nothing(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    answer = (await manager.post(REBUILD, json={"simular": True})).json()
    assert (len(answer["creados"]), answer["pendienteReinicio"]) == (THINGS, [])
    assert writes(service.sim) == []


@pytest.mark.asyncio
@pytest.mark.parametrize("after", [1, 3, 5, 6, 40, THINGS - 2])
async def test_an_interrupted_run_is_completed_by_the_next(
    service: "Service", manager: httpx2.AsyncClient, after: int
) -> None:
    """The connection breaks at some step, which the ERP performs all the same."""
    for path in ("UserTablesMD", "UserFieldsMD", "UserObjectsMD", "SQLQueries"):
        service.sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path=path, nth=after))
    for _ in range(6):
        answer = await manager.post(REBUILD)
        if answer.status_code == 200:
            break
        assert (answer.status_code, answer.json()["code"]) == (502, "outcome_unknown")
    status = (await manager.get(STATUS)).json()
    assert (status["completo"], states(status)) == (True, {"ok"})
    created = [line for line in writes(service.sim) if line.startswith("POST User")]
    assert len(created) == 5 + FIELDS + 1  # a step whose reply was lost is not repeated


@pytest.mark.asyncio
async def test_a_timeout_is_an_unknown_outcome(open_service: "OpenService", sim: Simulator) -> None:
    async with (
        open_service(sim, SL_METADATA_TIMEOUT="0.3") as service,
        service.signed_in() as client,
    ):
        sim.faults.add(Fault(action=Delay(seconds=1.0), method="POST", path="UserFieldsMD"))
        answer = await client.post(REBUILD)
        assert (answer.status_code, answer.json()["code"]) == (504, "outcome_unknown")


@pytest.mark.asyncio
async def test_definitions_created_by_others_meanwhile_count_as_unchanged(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    for method, times in (("UserTablesMD", 2), ("SQLQueries", 1)):
        service.sim.faults.add(
            Fault(
                action=Refuse(status=400, code=-2035, text="exists"), method="POST", path=method, times=times
            )
        )
    answer = (await manager.post(REBUILD)).json()
    assert answer["sinCambios"] == 2
    assert "tabla @LIB_ODEV" not in answer["creados"]


@pytest.mark.asyncio
async def test_a_refused_step_does_not_stop_the_others(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    service.sim.faults.add(
        Fault(
            action=Refuse(status=400, code=-5002, text="no room"), method="POST", path="UserTablesMD", nth=2
        )
    )
    answer = (await manager.post(REBUILD)).json()
    lines = len(load_definitions().groups[1].fields)
    assert answer["errores"][0] == {
        "nombre": "tabla @LIB_DEV1",
        "mensaje": "El ERP lo rechazó: no room (-5002)",
    }
    assert answer["errores"][1] == {
        "nombre": "campo @LIB_DEV1.U_ItemCode",
        "mensaje": "Falta tabla @LIB_DEV1.",
    }
    assert answer["errores"][-1]["nombre"] == "objeto LIB_ODEV"
    assert len(answer["errores"]) == 1 + lines + 1
    assert len((await manager.post(REBUILD)).json()["creados"]) == 1 + lines + 1


@pytest.mark.asyncio
async def test_a_temporary_refusal_of_metadata_changes_is_retried(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    service.sim.faults.add(
        Fault(action=Refuse(status=400, code=-1120, text="busy"), method="POST", path="UserTablesMD")
    )
    answer = (await manager.post(REBUILD)).json()
    assert (len(answer["creados"]), answer["errores"]) == (THINGS, [])


@pytest.mark.asyncio
async def test_a_normal_user_gets_the_required_right_in_the_error(service: "Service") -> None:
    async with service.signed_in("bodega") as bodega:
        answer = await bodega.post(REBUILD)
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (403, "erp_forbidden")
    assert problem["authorization"] == "Superusuario"
    assert "Pida al administrador del ERP la autorización «Superusuario»" in problem["message"]
    assert problem["upstream"] == {"code": -6006, "message": "You are not permitted to perform this action"}
    assert states(await service_status(service)) == {"falta"}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "right"), [("UserTablesMD*", "Superusuario"), ("SQLQueries*", "Service Layer SQL Query")]
)
async def test_a_user_without_read_access_gets_the_required_right_in_the_error(
    service: "Service", manager: httpx2.AsyncClient, path: str, right: str
) -> None:
    service.sim.faults.add(Fault(action=Refuse(status=403, code=-6006, text="No"), method="GET", path=path))
    answer = await manager.get(STATUS)
    assert (answer.status_code, answer.json()["code"]) == (403, "erp_forbidden")
    assert answer.json()["authorization"] == right


async def service_status(service: "Service") -> dict[str, Any]:
    async with service.signed_in() as manager:
        found: dict[str, Any] = (await manager.get(STATUS)).json()
        return found


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("visible", "after_login"), [(MetadataVisible.AFTER_LOGIN, True), (MetadataVisible.AFTER_RESTART, False)]
)
async def test_invisible_definitions_are_reported_until_they_are_visible(
    open_service: "OpenService", visible: MetadataVisible, *, after_login: bool
) -> None:
    async with run_sim(switches=Switches(metadata_visible=visible)) as sim, open_service(sim) as service:
        async with service.signed_in() as client:
            answer = (await client.post(REBUILD)).json()
            pending = ["tabla @LIB_CLAVE", "campos de ORPD", "objeto LIB_ODEV"]
            assert (answer["pendienteReinicio"], answer["errores"]) == (pending, [])
            assert "reinicie el Service Layer" in answer["mensaje"]
            status = (await client.get(STATUS)).json()
            assert (status["completo"], states(status)) == (False, {"ok", "pendiente_reinicio"})
            assert status["objeto"]["estado"] == "pendiente_reinicio"
            simulated = (await client.post(REBUILD, json={"simular": True})).json()
            assert (simulated["creados"], simulated["pendienteReinicio"]) == ([], pending)
        async with service.signed_in() as client:
            assert (await client.get(STATUS)).json()["completo"] is after_login
        sim.restart()
        async with service.signed_in() as client:
            assert (await client.get(STATUS)).json()["completo"]


@pytest.mark.asyncio
async def test_only_short_fields_and_missing_values_change(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    company = service.sim.world.company
    await manager.post(REBUILD)
    rows = {(row["TableName"], row["Name"]): row for row in company.rows("UserFieldsMD")}
    reason = rows["@LIB_ODEV", "Motivo"]
    with company.transaction():
        company.update("UserFieldsMD", {**rows["@LIB_ODEV", "Coment"], "Size": 50, "EditSize": 50})
        company.update("UserFieldsMD", {**rows["@LIB_DEV1", "Filas"], "Size": 300, "EditSize": 300})
        own: list[Value] = [
            {"Value": "MIO", "Description": "Mío"},
            {"Value": "VENC", "Description": "Otro texto"},
        ]
        company.update("UserFieldsMD", {**reason, "ValidValuesMD": own})
        company.update("UserFieldsMD", {**rows["@LIB_DEV3", "Clase"], "ValidValuesMD": own})
    status = (await manager.get(STATUS)).json()
    different = {row["nombre"]: row["detalle"] for row in status["campos"] if row["estado"] == "distinto"}
    assert different == {
        "U_Coment": "admite 50 caracteres y debe admitir 254",
        "U_Motivo": "faltan valores válidos: DANO, CALI, ERRO, EXCE, RETI, OTRO",
    }
    answer = (await manager.post(REBUILD)).json()
    assert answer["actualizados"] == ["campo @LIB_ODEV.U_Motivo", "campo @LIB_ODEV.U_Coment"]
    assert (await manager.get(STATUS)).json()["completo"]
    after = {(row["TableName"], row["Name"]): row for row in company.rows("UserFieldsMD")}
    values = after["@LIB_ODEV", "Motivo"]["ValidValuesMD"]
    assert [(row["Value"], row["Description"]) for row in values[:2]] == [  # type: ignore[index, call-overload, union-attr] # a row's collection
        ("MIO", "Mío"),
        ("VENC", "Otro texto"),
    ]
    assert after["@LIB_DEV1", "Filas"]["Size"] == 300


@pytest.mark.asyncio
async def test_an_incomplete_object_is_completed(service: "Service", manager: httpx2.AsyncClient) -> None:
    await manager.post(REBUILD)
    company = service.sim.world.company
    (row,) = [row for row in company.rows("UserObjectsMD") if row["Code"] == "LIB_ODEV"]
    with company.transaction():
        company.update("UserObjectsMD", {**row, "CanClose": "tNO"})
    assert (await manager.get(STATUS)).json()["objeto"] == {
        "codigo": "LIB_ODEV",
        "estado": "distinto",
        "detalle": "falta CanClose",
    }
    answer = (await manager.post(REBUILD)).json()
    assert answer["actualizados"] == ["objeto LIB_ODEV"]
    assert (await manager.get(STATUS)).json()["completo"]


@pytest.mark.asyncio
async def test_definitions_of_another_type_are_reported_and_unchanged(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    await manager.post(REBUILD)
    company = service.sim.world.company
    rows = {(row["TableName"], row["Name"]): row for row in company.rows("UserFieldsMD")}
    with company.transaction():
        company.update(
            "UserFieldsMD", {**rows["@LIB_ODEV", "Serie"], "Type": "db_Alpha", "SubType": "st_None"}
        )
    before = len(writes(service.sim))
    answer = (await manager.post(REBUILD)).json()
    assert answer["errores"] == [
        {"nombre": "@LIB_ODEV.U_Serie", "mensaje": "es db_Alpha/st_None y debe ser db_Numeric/st_None"}
    ]
    assert answer["sinCambios"] == THINGS - 1
    assert len(writes(service.sim)) == before


@pytest.mark.asyncio
async def test_a_second_rebuild_at_the_same_time_is_refused(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    service.sim.faults.add(Fault(action=Delay(seconds=0.5), method="POST", path="UserTablesMD"))
    async with service.signed_in() as other:
        running = asyncio.create_task(manager.post(REBUILD))
        await service.arrived("POST", "UserTablesMD")
        refused = await other.post(REBUILD)
        assert (refused.status_code, refused.json()["code"]) == (409, "rebuild_in_progress")
        assert (await running).status_code == 200
        assert (await other.post(REBUILD)).status_code == 200


def events(text: str) -> list[tuple[str, Any]]:
    found = []
    for block in text.strip().split("\n\n"):
        if block.startswith("event: "):
            name, data = block.split("\n")
            found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


@pytest.mark.asyncio
async def test_progress_is_streamed_on_request(manager: httpx2.AsyncClient) -> None:
    answer = await manager.post(REBUILD, headers={"Accept": "text/event-stream"})
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    assert answer.headers["Cache-Control"] == "no-store"
    reported = events(answer.text)
    assert reported[0] == (
        "progreso",
        {"hecho": 1, "total": THINGS, "nombre": "tabla @LIB_ODEV", "resultado": "creado"},
    )
    assert [name for name, _ in reported] == ["progreso"] * THINGS + ["resultado"]
    assert len(reported[-1][1]["creados"]) == THINGS


@pytest.mark.asyncio
async def test_a_failure_is_the_last_event_of_the_stream(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    service.sim.faults.add(Fault(action=BadGateway(), method="POST", path="UserFieldsMD", nth=3))
    answer = await manager.post(REBUILD, headers={"Accept": "text/event-stream"})
    reported = events(answer.text)
    assert [name for name, _ in reported] == ["progreso"] * 7 + ["error"]
    problem = reported[-1][1]
    assert (problem["code"], problem["status"]) == ("outcome_unknown", 502)
    assert problem["requestId"] == answer.headers["X-Request-ID"]


@pytest.mark.asyncio
async def test_the_stream_ends_with_the_session(service: "Service", manager: httpx2.AsyncClient) -> None:
    service.sim.faults.add(Fault(action=Delay(seconds=0.5), method="POST", path="UserFieldsMD"))
    listening = asyncio.create_task(manager.post(REBUILD, headers={"Accept": "text/event-stream"}))
    await service.arrived("POST", "UserFieldsMD")
    assert (await manager.post("/api/auth/logout")).status_code == 204
    name, problem = events((await listening).text)[-1]
    assert (name, problem["code"]) == ("error", "session_expired")


@pytest.mark.asyncio
async def test_a_session_ended_by_the_erp_during_a_rebuild_ends_here_too(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    service.sim.faults.add(Fault(action=ExpireSession(), method="POST", path="UserFieldsMD", nth=3))
    answer = await manager.post(REBUILD, headers={"Accept": "text/event-stream"})
    assert events(answer.text)[-1][1]["message"] == "Debe iniciar sesión"
    assert (await manager.get("/api/auth/me")).status_code == 401


@pytest.mark.asyncio
async def test_the_rebuild_continues_after_sign_out_and_then_logs_out(service: "Service") -> None:
    service.sim.faults.add(Fault(action=Delay(seconds=0.3), method="POST", path="UserTablesMD"))
    async with service.signed_in() as client:
        cookies = {"Cookie": f"dp_sid={client.cookies['dp_sid']}"}
        running = asyncio.create_task(client.post(REBUILD, headers=cookies))
        await service.arrived("POST", "UserTablesMD")
        running.cancel()
        await client.post("/api/auth/logout")
        await service.arrived("POST", "Logout")
    assert len(service.sim.calls.of("POST", "SQLQueries")) == len(STORED_QUERIES)
    assert service.sim.calls[len(service.sim.calls) - 1].path == "Logout"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("installed", "state", "version"),
    [("DP_Stock v0", "distinto", 0), ("Mine", "distinto", 0), ("DP_Stock v99", "distinto", 99)],
)
async def test_older_queries_are_updated_and_newer_ones_are_not(
    service: "Service", manager: httpx2.AsyncClient, installed: str, state: str, version: int
) -> None:
    await manager.post(REBUILD)
    company = service.sim.world.company
    (row,) = [row for row in company.rows("SQLQueries") if row["SqlCode"] == "DP_Stock"]
    with company.transaction():
        company.update("SQLQueries", {**row, "SqlName": installed})
    query = (await manager.get(STATUS)).json()["consultas"][0]
    assert (query["estado"], query["versionInstalada"]) == (state, version)
    answer = (await manager.post(REBUILD)).json()
    if version == 99:
        assert (answer["actualizados"], answer["errores"][0]["nombre"]) == ([], "consulta DP_Stock")
    else:
        assert (answer["actualizados"], answer["errores"]) == (["consulta DP_Stock v3"], [])


@pytest.mark.asyncio
async def test_a_refused_query_is_reported_with_the_reason(
    open_service: "OpenService",
) -> None:
    switches = attrs.evolve(Switches(), sql_tables_removed=frozenset({"PDN1"}))
    async with run_sim(switches=switches) as sim, open_service(sim) as service, service.signed_in() as client:
        answer = (await client.post(REBUILD)).json()
        (failure,) = answer["errores"]
        assert failure["nombre"] == "consulta DP_EntradasAbiertas v2"
        assert "usa una tabla que no está en la lista" in failure["mensaje"]
        assert "Table 'PDN1' not accessible" in failure["mensaje"]
        assert (await client.get(STATUS)).json()["completo"] is False


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (Refuse(status=400, code=-5002, text="no room"), "El ERP lo rechazó: no room (-5002)"),
        (Refuse(status=404, code=-2028, text="no set"), "El ERP lo rechazó: no set (-2028)"),
        (
            Refuse(status=400, code=-5002, text="Invalid SQL syntax: select x, line 1, character position 2"),
            "El ERP lo rechazó: Invalid SQL syntax: …, line 1, character position 2 (-5002)",
        ),
    ],
)
async def test_a_refused_query_does_not_stop_the_others_and_the_fence(
    service: "Service", manager: httpx2.AsyncClient, refusal: Refuse, words: str
) -> None:
    service.sim.faults.add(Fault(action=refusal, method="POST", path="SQLQueries"))
    answer = await manager.post(REBUILD)
    assert answer.status_code == 200, answer.text
    reported = answer.json()
    assert reported["errores"] == [{"nombre": "consulta DP_Stock v3", "mensaje": words}]
    assert (len(reported["creados"]), reported["creados"][-1]) == (THINGS - 1, "consulta DP_Series v1")
    assert {row["Code"] for row in service.sim.world.company.rows("U_LIB_CLAVE")} >= {PROOF}
    assert (await manager.post(REBUILD)).json()["creados"] == ["consulta DP_Stock v3"]


@pytest.mark.asyncio
async def test_a_refused_query_change_is_reported(service: "Service", manager: httpx2.AsyncClient) -> None:
    await manager.post(REBUILD)
    company = service.sim.world.company
    (row,) = [row for row in company.rows("SQLQueries") if row["SqlCode"] == "DP_Stock"]
    with company.transaction():
        company.update("SQLQueries", {**row, "SqlName": "DP_Stock v0"})
    service.sim.faults.add(Fault(action=Refuse(status=400, code=-5002, text="no room"), method="PATCH"))
    answer = await manager.post(REBUILD)
    assert answer.status_code == 200, answer.text
    assert answer.json()["errores"] == [
        {"nombre": "consulta DP_Stock v3", "mensaje": "El ERP lo rechazó: no room (-5002)"}
    ]
