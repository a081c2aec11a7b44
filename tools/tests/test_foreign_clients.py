"""Expected results of `make foreign-clients`, and its table."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from tools.foreign_clients.clients import NODE_CLIENTS, PYTHON_CLIENTS, Client, Fault, Known
from tools.foreign_clients.cloud_sdk import trimmed
from tools.foreign_clients.table import Trial, print_table, surprises
from tools.packages import ROOT

CLIENTS = (*PYTHON_CLIENTS, *NODE_CLIENTS)
FOLDER = ROOT / "tools/foreign_clients"

EDM = "http://docs.oasis-open.org/odata/ns/edm"
DESCRIPTION = f"""<Edmx><Schema xmlns="{EDM}">
<EnumType Name="Yes"/><EnumType Name="Other"/>
<ComplexType Name="Line"><Property Name="Open" Type="SAPB1.Yes"/></ComplexType>
<EntityType Name="Document"><Key/><Property Name="Lines" Type="Collection(SAPB1.Line)"/>
<NavigationProperty Name="Partner" Type="SAPB1.Partner"/></EntityType>
<EntityType Name="Partner"/><Action Name="Close"/>
<EntityContainer Name="ServiceLayer">
<EntitySet Name="Orders" EntityType="SAPB1.Document"><Annotation/></EntitySet>
<EntitySet Name="Partners" EntityType="SAPB1.Partner"/><ActionImport Name="Items"/></EntityContainer>
</Schema></Edmx>"""


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_each_client_has_its_script_and_exact_versions(client: Client) -> None:
    assert (
        FOLDER / f"{client.script.removesuffix('.mjs')}{'.mjs' if client in NODE_CLIENTS else '.py'}"
    ).is_file()
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", client.version)
    assert all(re.fullmatch(r"@?[a-z/_-]+(==|@)\d+\.\d+\.\d+", each) for each in client.with_it)


def test_only_an_unexpected_failure_is_reported_as_a_surprise(capsys: pytest.CaptureFixture[str]) -> None:
    known = {"batch": Known(Fault.CLIENT, "sends nothing", "v1")}
    client = Client(name="any", version="1.0.0", script="with_any", erp_versions=("v1",), known=known)
    trial = Trial(client, "v1", {"login": None, "batch": "Error: 400", "list": "Error: 500"})
    assert list(surprises([trial])) == ["any v1: list"]
    assert list(surprises([replace(trial, erp_version="v2")])) == ["any v2: batch", "any v2: list"]
    print_table([trial])
    _, row, batch, listed = capsys.readouterr().out.splitlines()
    assert row.split() == ["any", "1.0.0", "v1", "1", "2"]
    assert batch.strip() == "batch: the client's own: sends nothing"
    assert listed.strip() == "list: UNEXPECTED: Error: 500"


def test_a_trimmed_description_contains_the_sets_and_their_types() -> None:
    kept = {each.get("Name") for each in trimmed(ET.fromstring(DESCRIPTION)).iter()} - {None}
    assert kept == {"Yes", "Line", "Open", "Document", "Lines", "ServiceLayer", "Orders"}
