"""Fields of the return that an installation configures: constants, and fields that users fill in."""

import json
from typing import TYPE_CHECKING, Any

import pytest
from executions import PLANNINGS, execute, executed, plain_items, plan, returns_of
from ready_company import company
from returns_company import administrator_of

from erpsim.desk import Desk
from erpsim.simulator import Simulator

if TYPE_CHECKING:
    from tests.api.conftest import OpenService

pytestmark = pytest.mark.asyncio

ASKED: list[dict[str, Any]] = [
    {"name": "U_PATENTE", "label": "Patente", "required": True},
    {"name": "U_TIPOTRAS", "label": "Traslado"},
    {"name": "U_BULTOS", "label": "Bultos", "type": "number"},
]
SETTINGS = {"RETURN_FIELDS": '{"Indicator":"52"}', "RETURN_ASKED_FIELDS": json.dumps(ASKED)}
ANSWERS = {"U_PATENTE": "ABCD12", "U_TIPOTRAS": "6", "U_BULTOS": "3"}


async def add_fields(sim: Simulator) -> None:
    """Add the fields of a tax add-on to the return."""
    values = [{"Value": "5", "Description": "Interno"}, {"Value": "6", "Description": "No es venta"}]
    kinds: list[dict[str, Any]] = [
        {"Name": "PATENTE", "Type": "db_Alpha", "Size": 10},
        {"Name": "TIPOTRAS", "Type": "db_Alpha", "Size": 2, "ValidValuesMD": values},
        {"Name": "BULTOS", "Type": "db_Numeric", "Size": 6},
    ]
    async with administrator_of(sim) as layer:
        for kind in kinds:
            added = await layer.post(
                "UserFieldsMD", json={"TableName": "ORPD", "Description": kind["Name"], **kind}
            )
            assert added.status_code == 201, added.text


async def test_field_values_are_stored_and_sent_with_every_return(
    open_service: "OpenService",
) -> None:
    async with company() as sim:
        await add_fields(sim)
        async with open_service(sim, **SETTINGS) as service, service.signed_in() as client:
            with service.counting() as calls:
                offered = (await client.get("/api/catalogos")).json()["camposDevolucion"]
            assert len(calls) == 3, "signing in has asked for the valid values of these fields too"
            assert [(each["nombre"], each["tipo"], each["obligatorio"]) for each in offered] == [
                ("U_PATENTE", "texto", True),
                ("U_TIPOTRAS", "texto", False),
                ("U_BULTOS", "numero", False),
            ]
            assert [value["codigo"] for value in offered[1]["valores"]] == ["5", "6"]

            detail = await plan(client, *plain_items(sim, 3))
            assert detail["cabecera"]["camposDevolucion"] is None
            assert "U_CamposDev" not in sim.calls.of("POST", "LIB_ODEV")[-1].body.decode()
            missing_required = await execute(client, detail)
            assert (missing_required.status_code, missing_required.json()["code"]) == (
                422,
                "return_fields_required",
            )
            assert missing_required.json()["campos"] == ["U_PATENTE"]

            header = f"{PLANNINGS}/{detail['id']}/cabecera"
            wrong = {"U_PATENTE": "", "U_TIPOTRAS": "7", "U_BULTOS": "tres", "Series": "71"}
            refused = await client.patch(header, json={"version": 1, "camposDevolucion": wrong})
            assert refused.status_code == 400
            assert {each["path"] for each in refused.json()["errors"]} == {
                f"camposDevolucion.{name}" for name in wrong
            }
            with service.counting() as calls:
                response = await client.patch(header, json={"version": 1, "camposDevolucion": ANSWERS})
            assert response.status_code == 200, response.text
            assert [call.method for call in calls] == ["GET", "PATCH"]
            assert response.json()["cabecera"]["camposDevolucion"] == ANSWERS
            assert (await client.get(f"{PLANNINGS}/{detail['id']}")).json() == response.json()

            done = await executed(client, response.json())
            made = returns_of(sim, detail["id"])
            assert len(made) == len(done["documentos"]) > 0
            for row in made:
                sent = {name: row[name] for name in (*ANSWERS, "Indicator")}
                assert sent == {**ANSWERS, "U_BULTOS": 3, "Indicator": "52"}
            again = await client.patch(header, json={"version": done["version"], "camposDevolucion": {}})
            assert (again.status_code, again.json()["code"]) == (409, "held_by_document")


async def test_a_company_with_older_metadata_works_until_a_field_is_filled_in(
    open_service: "OpenService",
) -> None:
    """The definitions have one field more than the company's metadata."""
    async with company() as sim:
        await add_fields(sim)
        fields: Any = sim.world.company.rows("UserFieldsMD")
        memo = next(row for row in fields if (row["TableName"], row["Name"]) == ("@LIB_ODEV", "CamposDev"))
        Desk(sim.world).delete("UserFieldsMD", ("@LIB_ODEV", memo["FieldID"]))
        optional_fields = json.dumps([{**each, "required": False} for each in ASKED])
        async with (
            open_service(sim, RETURN_ASKED_FIELDS=optional_fields) as service,
            service.signed_in() as client,
        ):
            status = (await client.get("/api/metadata/status")).json()
            missing = [
                (each["nombre"], each["estado"]) for each in status["campos"] if each["estado"] != "ok"
            ]
            assert missing == [("U_CamposDev", "falta")]
            item, other = plain_items(sim, 2)
            detail = await plan(client, item)
            filled = await client.patch(
                f"{PLANNINGS}/{detail['id']}/cabecera", json={"version": 1, "camposDevolucion": ANSWERS}
            )
            assert (filled.status_code, filled.json()["code"]) == (503, "metadata_missing")
            made = await client.post(
                PLANNINGS,
                json={
                    "cabecera": {"whsCode": "01", "camposDevolucion": ANSWERS},
                    "lineas": [{"itemCode": other, "cantidad": 1}],
                    "permitirOtra": True,
                },
            )
            assert (made.status_code, made.json()["code"]) == (503, "metadata_missing")
            assert (await executed(client, detail))["estado"] == "ejecutada"
            await client.post("/api/metadata/rebuild")
            assert (await client.get("/api/metadata/status")).json()["completo"] is True
            assert (await plan(client, other))["cabecera"]["camposDevolucion"] is None
