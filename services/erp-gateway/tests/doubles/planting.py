"""Faults to plant in a healthy installation, one at a time, and what the doctor must say of them."""

import json
import os
import shutil
import socket
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from datetime import timedelta
from typing import Any

from attrs import evolve, field, frozen
from installation import Installation, ShiftedClock

from erp_gateway.reports.crystal.registry import RegisteredReport, ReportScreen
from erp_gateway.values.parameters.declare import ReportParameter
from erpclient import Credentials, ErpSettings
from erpdoctor.inspection.inspection import Inspection
from erpsim.business.documents.attachments import UploadedFile
from erpsim.faults import Answer, Fault, Refuse
from erpsim.process.certificates import self_signed
from erpsim.simulator import Listening
from servicekit.testing.ports import free_port

Plant = Callable[[Installation], Awaitable[None] | None]


@frozen
class Planted:
    """A fault, where it is planted, and what the doctor must say of it."""

    name: str
    check: str
    cause: str
    plant: Plant | None = None
    outcome: str = "fail"
    listening: Listening | None = None
    switches: Mapping[str, Any] = field(factory=dict)
    born: timedelta = timedelta()
    arguments: tuple[str, ...] = ()


TLS = Listening(tls=True)


def configured(**values: str) -> Plant:
    def plant(installation: Installation) -> None:
        installation.environ.update(values)

    return plant


def trusting(installation: Installation) -> None:
    """Trust the simulator's own authority."""
    certificate = installation.sim.certificate
    assert certificate is not None
    file = installation.folder / "ca.pem"
    file.write_bytes(certificate.certificate_pem)
    installation.environ["ERP_SL_CA_FILE"] = str(file)


def other_name(installation: Installation) -> None:
    trusting(installation)
    installation.environ["ERP_SL_URL"] = f"https://127.0.0.2:{installation.sim.port}/b1s/v1"


def unknown_name(installation: Installation) -> None:
    installation.environ["ERP_SL_URL"] = f"http://erp.invalid:{installation.sim.port}/b1s/v1"


def nobody_listens(installation: Installation) -> None:
    installation.environ["ERP_SL_URL"] = f"http://127.0.0.1:{free_port()}/b1s/v1"


def not_tls(installation: Installation) -> None:
    installation.environ["ERP_SL_URL"] = installation.sim.url.replace("http:", "https:")


def late(installation: Installation) -> None:
    installation.clock = ShiftedClock(timedelta(minutes=10))


def faulty(
    action: Any, path: str = "*", *, method: str | None = None, nth: int = 1, times: int | None = None
) -> Plant:
    def plant(installation: Installation) -> None:
        installation.sim.faults.add(Fault(action=action, path=path, method=method, nth=nth, times=times))

    return plant


def employee(number: int, **values: Any) -> Plant:
    def plant(installation: Installation) -> None:
        installation.desk.change("EmployeesInfo", number, values)

    return plant


def unmounted(installation: Installation) -> None:
    """Let there be a file, and unmount the folder that it is in."""
    desk = installation.desk
    desk.world.upload(None, [UploadedFile("a.pdf", b"%PDF")], desk.caller)
    desk.world.switches = evolve(desk.world.switches, attachments_mounted=False)


def settings_file(mode: int, text: str = "ERP_SL_PASSWORD=erpsim\n") -> Plant:
    """Keep the password in a configuration file of this mode."""

    def plant(installation: Installation) -> None:
        file = installation.folder / "gateway.env"
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)
        installation.environ["CONFIG_FILE"] = str(file)
        if "PASSWORD" in text:
            del installation.environ["ERP_SL_PASSWORD"]

    return plant


def trace_field(**values: Any) -> Plant:
    """Define the field for numbers of writes in the company's documents."""

    def plant(installation: Installation) -> None:
        field = {"TableName": "ORDR", "Name": "GW_Clave", "Description": "Clave", "Type": "db_Alpha"}
        installation.desk.create("UserFieldsMD", field | values)
        installation.environ["WRITE_TRACE_FIELD"] = "U_GW_Clave"

    return plant


def without_in_metadata(text: str) -> Plant:
    """Serve a description that has not got what is asked for."""
    return with_metadata(lambda lines: [line for line in lines if text not in line])


def with_metadata(change: Callable[[list[str]], list[str]]) -> Plant:
    """Serve a description whose elements, one a line, were changed."""

    async def plant(installation: Installation) -> None:
        async with Inspection(ErpSettings(installation.sim.url)) as inspection:
            await inspection.log_in(Credentials("SBO_DEMO", "manager", "erpsim"))
            document = (await inspection.read("/$metadata")).body.decode()
        lines = change(document.replace("><", ">\n<").splitlines())
        answer = Answer(status=200, body="\n".join(lines), content_type="application/xml;charset=utf-8")
        installation.sim.faults.add(Fault(action=answer, path="$metadata", times=None))

    return plant


def store_edited(*statements: str) -> Plant:
    def plant(installation: Installation) -> None:
        with closing(sqlite3.connect(installation.store)) as store:
            for statement in statements:
                store.execute(statement)
            store.commit()

    return plant


def store_replaced(content: bytes) -> Plant:
    def plant(installation: Installation) -> None:
        for file in installation.store.parent.iterdir():
            file.unlink()
        installation.store.write_bytes(content)

    return plant


def other_programs_database(installation: Installation) -> None:
    installation.store.unlink()
    store_edited("CREATE TABLE t (x)")(installation)


def store_out_of_reach(installation: Installation) -> None:
    installation.environ["SQLITE_PATH"] = str(installation.store / "app.sqlite")


def readable(installation: Installation) -> None:
    installation.store.chmod(0o644)


def granted(user: str) -> Plant:
    async def plant(installation: Installation) -> None:
        await installation.grant(user)

    return plant


def backed_up_long_ago(installation: Installation) -> None:
    copy = installation.folder / "backups" / "app.sqlite"
    copy.parent.mkdir()
    shutil.copyfile(installation.store, copy)
    old = time.time() - 8 * 86_400
    os.utime(copy, (old, old))


def with_reports(**values: str) -> Plant:
    """Configure the report gateway, with what is wrong with it."""

    def plant(installation: Installation) -> None:
        installation.connect_reports()
        installation.environ.update(values)

    return plant


def report_gateway_faulty(action: Any, path: str) -> Plant:
    def plant(installation: Installation) -> None:
        installation.connect_reports()
        assert installation.sim.report_gateway is not None
        installation.sim.report_gateway.faults.add(Fault(action=action, path=path, times=None))

    return plant


def registered(code: str, *parameters: str, required: bool = False) -> Plant:
    """Register a report whose parameters are texts of these names."""

    async def plant(installation: Installation) -> None:
        installation.connect_reports()
        await installation.register(
            RegisteredReport(
                code=code,
                title="Informe",
                category="",
                enabled=True,
                documents=(),
                parameters=tuple(
                    ReportParameter(name=name, type="xsd:string", required=required, label=name)
                    for name in parameters
                ),
            )
        )

    return plant


def print_format(code: str) -> Plant:
    """Register a print format of the screen of orders."""
    order = ReportParameter(
        name="DocKey@", type="xsd:decimal", required=True, label="Pedido", is_doc_entry=True
    )

    async def plant(installation: Installation) -> None:
        installation.connect_reports()
        await installation.register(
            RegisteredReport(
                code=code,
                title="Pedido",
                category="",
                enabled=True,
                documents=(ReportScreen(screen="/ventas/pedidos"),),
                parameters=(order,),
            )
        )

    return plant


def fake_browser(script: str) -> Plant:
    """Put a program in the browser's place."""

    def plant(installation: Installation) -> None:
        browser = installation.folder / "browser"
        browser.write_text(f"#!/bin/sh\n{script}\n")
        browser.chmod(0o755)
        installation.environ |= {
            "HTML_PDF_ENGINE": "browser",
            "BROWSER_BIN": str(browser),
            "HTML_PDF_SANDBOX": "false",
        }

    return plant


PRINTS = (
    """for each in "$@"; do case $each in --print-to-pdf=*) printf '%%PDF-1.4' > "${each#*=}";; esac; done"""
)
REPORTS = Listening(report_gateway_port=0)
FORBIDDEN = Refuse(status=403, code=-6006, text="You are not permitted to perform this action")
UNKNOWN_SET = Refuse(status=400, code=-1002, text="Invalid entityset")


HTML = Answer(status=200, body="<html>", content_type="text/html")


def expired_authority(installation: Installation) -> None:
    """Trust an authority that has expired beside the right one."""
    trusting(installation)
    gone = self_signed("gone.example", ShiftedClock(-timedelta(days=400)))
    with (installation.folder / "ca.pem").open("ab") as authorities:
        authorities.write(gone.certificate_pem)


def plain_in_production(installation: Installation) -> None:
    """Use plain http in production, at an address that is not this host's own by name."""
    installation.environ["ERP_SL_URL"] = installation.sim.url.replace("127.0.0.1", "0.0.0.0")
    installation.environ["ENVIRONMENT"] = "production"


def backlog_full(installation: Installation) -> None:
    """Point at a port that neither takes nor refuses a connection."""
    full = socket.socket()
    full.bind(("127.0.0.1", 0))
    full.listen(0)
    installation.kept.callback(full.close)
    for _ in range(4):
        waiting = socket.socket()
        waiting.setblocking(False)
        waiting.connect_ex(full.getsockname())
        installation.kept.callback(waiting.close)
    installation.environ["ERP_SL_URL"] = f"http://127.0.0.1:{full.getsockname()[1]}/b1s/v1"


def changed_order(installation: Installation) -> None:
    """Give one of the newest orders a second version."""
    orders = installation.desk.rows("Orders")
    installation.desk.change(
        "Orders", max(int(str(row["DocEntry"])) for row in orders), {"Comments": "Cambiada"}
    )


def everybody_without_user(installation: Installation) -> None:
    """Take every employee's web user away."""
    for row in installation.desk.rows("EmployeesInfo"):
        installation.desk.change("EmployeesInfo", int(str(row["EmployeeID"])), {"U_WEB_USER": None})


def many_web_users(installation: Installation) -> None:
    """Answer with full pages of employees, without end."""
    rows = [{"EmployeeID": each, "U_WEB_USER": f"u{each}", "Active": "tNO"} for each in range(500)]
    body = json.dumps({"value": rows})
    action = Answer(status=200, body=body, content_type="application/json;charset=utf-8")
    installation.sim.faults.add(Fault(action=action, path="EmployeesInfo", times=None))


def no_backups(installation: Installation) -> None:
    """Make a folder for copies with something else in it."""
    folder = installation.folder / "backups"
    folder.mkdir()
    folder.joinpath("notes.txt").write_text("none yet")
