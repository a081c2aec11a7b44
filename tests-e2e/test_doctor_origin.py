"""The doctors' group `origin` before a real nginx: one fault at a time is named, and nothing else fails."""

import argparse
import asyncio
import io
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tools.stack import nginx
from tools.stack.addresses import Addresses
from tools.stack.exchange import exchange
from tools.stack.processes import LOOPBACK
from tools.stack.stack import gateway_process, service_layer

from erp_gateway.commands import doctor as gateways
from erp_gateway.commands import parser as gateways_arguments
from erpsim.process.certificates import self_signed
from servicekit.clock import SystemClock
from servicekit.testing.ports import free_port
from supplier_returns.doctor import command as returns

Edit = Callable[[str], str]
GATEWAYS_PLACE = "        location ^~ /api/ {\n"
PASSES_ON = "            proxy_pass $erp_gateway$request_uri;\n"
WITHOUT_A_SESSION = {"path", "forwarded", "body", "stream", "patience"}
"""Checks that need the token."""

NEEDING: Mapping[str, set[str]] = {
    "answer": {"clock", "latency", "headers", "metrics", "body-limit", "token", *WITHOUT_A_SESSION},
    "token": WITHOUT_A_SESSION,
    "body-limit": {"body"},
}
"""What can't be looked at without another."""

NEEDING = {**NEEDING, "tls": {"certificate", "answer", *NEEDING["answer"]}}


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A fault of nginx, and what the doctor must say of it.

    Attributes:
        check: of group `origin`.
        cause: its code.
        conf: what is different in nginx.conf.
        site: what is added to site.conf.
        outcome: how grave it is.
        tls: whether the origin is https.
        then: done once nginx runs.
        arguments: of the doctor, besides.
        away: whether nobody is behind nginx.
    """

    check: str
    cause: str
    conf: tuple[tuple[str, str], ...] = ()
    site: str = ""
    outcome: str = "fail"
    tls: bool = False
    then: Callable[[Path], None] = field(default=lambda _folder: None)
    arguments: tuple[str, ...] = ()
    away: bool = False


def inside(directives: str) -> tuple[tuple[str, str], ...]:
    """Add directives to the gateway's location."""
    return ((GATEWAYS_PLACE, f"{GATEWAYS_PLACE}{directives}\n"),)


def beside(location: str) -> tuple[tuple[str, str], ...]:
    """Add a location."""
    return ((GATEWAYS_PLACE, f"{location}\n{GATEWAYS_PLACE}"),)


def passing(target: str) -> tuple[tuple[str, str], ...]:
    """Have the gateway's location pass on something else."""
    return ((PASSES_ON, f"            {target}\n"),)


def without(line: str) -> tuple[tuple[str, str], ...]:
    return ((line, ""),)


def forwarding(name: str, value: str, instead: str) -> tuple[tuple[str, str], ...]:
    return ((f"proxy_set_header {name} {value};", f"proxy_set_header {name} {instead};"),)


def lose_temporary_folder(folder: Path) -> None:
    shutil.rmtree(folder / "client_body")


TABLE = {
    "the path is decoded": Planted(
        check="path", cause="path_decoded", conf=passing("proxy_pass $erp_gateway$uri$is_args$args;")
    ),
    "the path is decoded by a URI of its own, and slashes merged": Planted(
        check="path", cause="path_decoded", conf=passing("proxy_pass http://127.0.0.1:GATEWAY/api/;")
    ),
    "a rewrite decodes the path": Planted(
        check="path",
        cause="path_decoded",
        conf=passing("rewrite ^/api/(.*)$ /api/$1 break; proxy_pass $erp_gateway;"),
    ),
    "a rule spells quotes otherwise": Planted(
        check="path",
        cause="path_changed",
        conf=passing(
            'set $raw $request_uri; if ($raw ~ "^(.*)%27(.*)$") { set $raw "$1\'$2"; } '
            "proxy_pass $erp_gateway$raw;"
        ),
    ),
    "a rule against injections refuses quotes": Planted(
        check="path", cause="path_refused", conf=inside('if ($request_uri ~ "%27") { return 403; }')
    ),
    "bodies may be small only": Planted(
        check="body-limit",
        cause="body_limit_low",
        conf=(("client_max_body_size 2m;", "client_max_body_size 100k;"),),
    ),
    "bodies may have any size": Planted(
        check="body-limit",
        cause="body_unbounded",
        conf=(("client_max_body_size 2m;", "client_max_body_size 0;"),),
        outcome="warn",
    ),
    "large bodies are put aside and can't be": Planted(
        check="body",
        cause="body_lost",
        conf=(("proxy_request_buffering off;", ""),),
        then=lose_temporary_folder,
    ),
    "events are collected": Planted(
        check="stream",
        cause="stream_buffered",
        # Over HTTP/1.1 nginx passes each chunk on; over its usual HTTP/1.0 it fills a buffer first.
        conf=inside("proxy_http_version 1.0; proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;"),
    ),
    "event streams are refused": Planted(
        check="stream", cause="stream_broken", conf=inside('if ($http_accept ~ "event") { return 406; }')
    ),
    "the client's X-Forwarded-For is passed on": Planted(
        check="forwarded",
        cause="forwarded_headers_believed",
        conf=forwarding("X-Forwarded-For", "$remote_addr", "$http_x_forwarded_for"),
    ),
    "the client's X-Forwarded-For is added to": Planted(
        check="forwarded",
        cause="forwarded_headers_believed",
        conf=forwarding("X-Forwarded-For", "$remote_addr", "$proxy_add_x_forwarded_for"),
    ),
    "the client's X-Forwarded-Host is passed on": Planted(
        check="forwarded",
        cause="forwarded_headers_believed",
        conf=forwarding("X-Forwarded-Host", "$http_host", "$http_x_forwarded_host"),
    ),
    "the client's X-Forwarded-Proto is passed on": Planted(
        check="forwarded",
        cause="forwarded_headers_believed",
        conf=forwarding("X-Forwarded-Proto", "$forwarded_proto", "$http_x_forwarded_proto"),
    ),
    "the client's X-Forwarded-Prefix is passed on": Planted(
        check="forwarded",
        cause="forwarded_headers_believed",
        conf=forwarding("X-Forwarded-Prefix", "$forwarded_prefix", "$http_x_forwarded_prefix"),
    ),
    "the service is called by another name": Planted(
        check="forwarded",
        cause="origin_not_told",
        conf=forwarding("X-Forwarded-Host", "$http_host", "gateway.internal"),
    ),
    "the metrics are passed on": Planted(
        check="metrics",
        cause="metrics_reachable",
        conf=beside("location = /metrics { proxy_pass http://127.0.0.1:METRICS; }"),
    ),
    "the metrics are passed on below the API": Planted(
        check="metrics",
        cause="metrics_reachable",
        conf=beside("location = /api/metrics { proxy_pass http://127.0.0.1:METRICS/metrics; }"),
    ),
    "a header of the service is taken away": Planted(
        check="headers",
        cause="security_headers_missing",
        conf=inside("proxy_hide_header X-Content-Type-Options;"),
        outcome="warn",
    ),
    "pages come without headers": Planted(
        check="headers",
        cause="security_headers_missing",
        conf=without("add_header Referrer-Policy no-referrer always;"),
        outcome="warn",
    ),
    "HTTPS is not said to be for good": Planted(
        check="headers",
        cause="security_headers_missing",
        conf=inside("proxy_hide_header Strict-Transport-Security;"),
        outcome="warn",
        tls=True,
    ),
    "nginx tells its version": Planted(
        check="headers",
        cause="server_version_told",
        conf=(("server_tokens off;", "server_tokens on;"),),
        outcome="warn",
    ),
    "nginx loses patience": Planted(
        check="patience",
        cause="gives_up_early",
        conf=(("proxy_read_timeout 600s;", "proxy_read_timeout 2s;"),),
        arguments=("--wait", "30"),
    ),
    "nobody is behind nginx": Planted(check="answer", cause="gateway_page", away=True),
    "nginx leads to another service": Planted(
        check="answer",
        cause="other_service",
        conf=passing("proxy_pass http://127.0.0.1:RETURNS$request_uri;"),
    ),
    "the token is taken away": Planted(
        check="token", cause="token_refused", conf=inside('proxy_set_header Authorization "";')
    ),
    "the probe is not passed on": Planted(
        check="token", cause="no_probe", conf=beside("location ^~ /api/system/ { return 404; }")
    ),
}


@dataclass
class Examined:
    """One run of a doctor: its exit code, the checks of the origin by name, all that it wrote."""

    code: int
    checks: dict[str, dict[str, Any]]
    told: str

    def found(self, *outcomes: str) -> dict[str, str | None]:
        """Return cause by name of the checks that ended so."""
        return {name: each["cause"] for name, each in self.checks.items() if each["outcome"] in outcomes}


def run_doctor(add: Any, look: Any, environ: Mapping[str, str], arguments: Sequence[str]) -> Examined:
    """Run a doctor as the command line does."""
    parser = argparse.ArgumentParser()
    add(parser)
    out, err = io.StringIO(), io.StringIO()
    parsed = parser.parse_args(["--json", "--only", "origin", *arguments])
    settings = {"CONFIG_FILE": os.devnull, "ENVIRONMENT": "test", **environ}
    code = asyncio.run(look(parsed, settings, clock=SystemClock(), out=out, err=err))
    checks = {
        each["name"].removeprefix("origin."): each
        for each in json.loads(out.getvalue())["checks"]
        if each["group"] == "origin"
    }
    return Examined(code, checks, out.getvalue() + err.getvalue())


@dataclass(frozen=True)
class Front:
    """A running nginx of one's own."""

    folder: Path
    port: int
    ports: Addresses
    tls: bool = False

    @property
    def url(self) -> str:
        """Where it is."""
        return f"{'https' if self.tls else 'http'}://{LOOPBACK}:{self.port}"

    @property
    def named(self) -> tuple[str, ...]:
        """The arguments that name it."""
        trusted = ("--origin-ca-file", str(self.folder / "ca.pem")) if self.tls else ()
        return ("--origin", self.url, *trusted)

    def examine(self, *arguments: str, **settings: str) -> Examined:
        """Run the gateway's doctor before it."""
        environ = {
            "ERP_SL_URL": service_layer(self.ports),
            "ERP_SL_COMPANY_DB": "SBO_DEMO",
            "ERP_SL_USER": "manager",
            "ERP_SL_PASSWORD": "erpsim",
            "SQLITE_PATH": str(self.folder / "app.sqlite"),
            "TRUSTED_PROXIES": f"{LOOPBACK}/32",
            **settings,
        }
        add, look = gateways_arguments.add_doctor_arguments, gateways.run_doctor
        return run_doctor(add, look, environ, ["--wait", "0", *self.named, *arguments])

    def examine_returns(self, *arguments: str) -> Examined:
        """Run the doctor of supplier-returns before it."""
        environ = {
            "SL_URL": service_layer(self.ports),
            "SL_COMPANY_DB": "SBO_DEMO",
            "DB_TYPE": "HANA",
        }
        named = ("--origin", f"{self.url}/devoluciones", *self.named[2:])
        add, look = returns.add_doctor_arguments, returns.run_doctor
        return run_doctor(add, look, environ, [*named, *arguments])


@contextmanager
def front(
    folder: Path, ports: Addresses, planted: Planted | None = None, *, tls: bool = False
) -> Iterator[Front]:
    """Run nginx before the services of the stack, with a fault in it."""
    planted = planted or Planted(check="", cause="", tls=tls)
    port = free_port()
    behind = free_port() if planted.away else ports.gateway
    child = nginx.origin(folder, port=port, erp_gateway=behind, supplier_returns=ports.returns)
    conf = (folder / "nginx.conf").read_text("utf-8")
    for old, new in planted.conf:
        assert old in conf, old
        conf = conf.replace(old, new)
    for name, number in (("GATEWAY", ports.gateway), ("METRICS", ports.metrics), ("RETURNS", ports.returns)):
        conf = conf.replace(f"{LOOPBACK}:{name}", f"{LOOPBACK}:{number}")
    (folder / "nginx.conf").write_text(conf, "utf-8")
    site = (folder / "site.conf").read_text("utf-8") + planted.site
    if planted.tls:
        certificate = self_signed("origin", SystemClock())
        (folder / "ca.pem").write_bytes(certificate.certificate_pem)
        (folder / "key.pem").write_bytes(certificate.key_pem)
        site = site.replace(f":{port};", f":{port} ssl; ssl_certificate ca.pem; ssl_certificate_key key.pem;")
    (folder / "site.conf").write_text(site, "utf-8")
    with child:
        child.wait_until_it_answers(port, "/")
        planted.then(folder)
        yield Front(folder, port, ports, planted.tls)


@pytest.fixture
def token_file(tmp_path: Path, administrator: str) -> Path:
    """A file with an administrator's token."""
    return keep(tmp_path, administrator)


def keep(folder: Path, token: str, *, mode: int = 0o600) -> Path:
    file = folder / "token"
    file.touch(mode=mode)
    file.chmod(mode)
    file.write_text(f"{token}\n", "utf-8")
    return file


@pytest.mark.parametrize("name", TABLE)
def test_the_doctor_names_a_planted_fault_and_fails_nothing_else(
    own_ports: Addresses, tmp_path: Path, token_file: Path, name: str
) -> None:
    planted = TABLE[name]
    with front(tmp_path, own_ports, planted) as origin:
        examined = origin.examine("--token-file", str(token_file), *planted.arguments)
    assert examined.found("warn", "fail") == {planted.check: planted.cause}
    assert examined.code == {"warn": 1, "fail": 2}[planted.outcome]
    found = examined.checks[planted.check]
    assert found["text"].endswith(".")
    assert found["mend"].endswith(".")
    waiting = NEEDING.get(planted.check, set()) if planted.outcome == "fail" else set()
    skipped = {name for name, cause in examined.found("skipped").items() if cause == "depends_on"}
    assert skipped == waiting


@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
def test_a_healthy_nginx_is_all_ok(
    own_ports: Addresses, tmp_path: Path, token_file: Path, administrator: str, tls: bool
) -> None:
    with front(tmp_path, own_ports, tls=tls) as origin:
        examined = origin.examine("--token-file", str(token_file), "--wait", "1")
    assert examined.found("warn", "fail", "skipped") == {}
    assert examined.code == 0
    assert len(examined.checks) == 18
    assert examined.checks["path"]["figures"] == {"keys": 7, "zero": "refused"}
    assert administrator not in examined.told
    assert LOOPBACK not in examined.told


@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
def test_without_a_token_what_everybody_sees_is_looked_at(
    own_ports: Addresses, tmp_path: Path, tls: bool
) -> None:
    with front(tmp_path, own_ports, tls=tls) as origin:
        examined = origin.examine()
        of_returns = origin.examine_returns()
    assert examined.found("warn", "fail") == of_returns.found("warn", "fail") == {}
    assert examined.found("skipped") == {
        "token": "no_token",
        **dict.fromkeys(WITHOUT_A_SESSION, "depends_on"),
    }
    assert of_returns.found("skipped") == {"token": "no_token"}
    assert set(of_returns.found("ok")) == set(examined.found("ok"))
    assert examined.code == of_returns.code == 0


@pytest.mark.parametrize(
    "name",
    [
        *("bodies may be small only", "bodies may have any size", "nginx tells its version"),
        *("the metrics are passed on", "pages come without headers"),
    ],
)
def test_the_doctor_of_returns_names_what_everybody_sees(
    own_ports: Addresses, tmp_path: Path, name: str
) -> None:
    planted = TABLE[name]
    limit = (("client_max_body_size 11m;", planted.conf[0][1]),) if planted.check == "body-limit" else ()
    with front(tmp_path, own_ports, replace(planted, conf=(*planted.conf, *limit))) as origin:
        examined = origin.examine_returns()
    assert examined.found("warn", "fail") == {planted.check: planted.cause}


def test_a_proxy_that_takes_no_long_pasted_sheet_is_named(own_ports: Addresses, tmp_path: Path) -> None:
    planted = Planted(
        check="body-limit",
        cause="body_limit_low",
        conf=(("client_max_body_size 11m;", "client_max_body_size 2m;"),),
    )
    with front(tmp_path, own_ports, planted) as origin:
        examined = origin.examine_returns()
    assert examined.found("warn", "fail") == {planted.check: planted.cause}


def test_where_the_certificate_is_not_trusted_the_token_is_not_sent(
    own_ports: Addresses, tmp_path: Path, token_file: Path
) -> None:
    with front(tmp_path, own_ports, tls=True) as origin:
        unknown = replace(origin, tls=False).examine("--origin", origin.url, "--token-file", str(token_file))
        named = (origin.folder / "nginx.log").read_text("utf-8")
    assert unknown.found("fail") == {"tls": "certificate_authority_unknown"}
    assert set(unknown.found("skipped")) == NEEDING["tls"]
    assert "/api/" not in named


def test_a_clerks_token_is_none_of_an_administrator(own_ports: Addresses, tmp_path: Path, clerk: str) -> None:
    with front(tmp_path, own_ports) as origin:
        examined = origin.examine("--token-file", str(keep(tmp_path, clerk)))
    assert examined.found("warn", "fail") == {"token": "token_not_administrators"}
    assert clerk not in examined.told


@pytest.mark.parametrize(
    ("mode", "text", "cause"),
    [
        (0o640, None, "token_open_to_others"),
        (0o604, None, "token_open_to_others"),
        (0o600, "", "token_unreadable"),
        (0o600, "two words", "token_unreadable"),
        (0o600, "x" * 1000, "token_unreadable"),
        (0o600, "of-nobody", "token_refused"),
    ],
)
def test_a_token_file_that_can_not_be_used_is_named(
    own_ports: Addresses, tmp_path: Path, administrator: str, mode: int, text: str | None, cause: str
) -> None:
    kept = administrator if text is None else text
    with front(tmp_path, own_ports) as origin:
        examined = origin.examine("--token-file", str(keep(tmp_path, kept, mode=mode)))
        missing = origin.examine("--token-file", str(tmp_path / "none"))
    assert examined.found("warn", "fail") == {"token": cause}
    assert missing.found("warn", "fail") == {"token": "token_unreadable"}
    assert not kept or kept not in examined.told


def test_a_gateway_that_does_not_trust_its_proxy_is_named(own_ports: Addresses, tmp_path: Path) -> None:
    folder = tmp_path / "gateway"
    folder.mkdir()
    ports = replace(own_ports, gateway=free_port(), metrics=free_port())
    settings = {"TRUSTED_PROXIES": "", "ADMIN_WEB_USERS": "ana"}
    with gateway_process(folder, ports, settings) as child, front(tmp_path, ports) as origin:
        child.wait_until_it_answers(ports.gateway, "/api/health")
        person = {"username": "ana", "password": "ana-demo"}
        token = exchange(ports.gateway, "POST", "/api/auth/login", person).body["token"]
        token_file = str(keep(tmp_path, token))
        examined = origin.examine("--token-file", token_file, TRUSTED_PROXIES="")
    assert examined.found("warn", "fail") == {"forwarded": "proxy_not_trusted"}


def test_the_table_holds_twenty_faults_or_more_of_every_check_that_nginx_can_fail() -> None:
    assert len(TABLE) >= 20
    of_nginx = {"path", "forwarded", "body", "body-limit", "stream", "patience", "metrics", "headers"}
    assert {planted.check for planted in TABLE.values()} >= {*of_nginx, "answer", "token"}


def test_behind_a_terminator_of_tls_that_site_conf_names_a_browsers_write_is_the_origins_own(
    own_ports: Addresses, tmp_path: Path
) -> None:
    planted = Planted(check="", cause="", site="set $forwarded_proto https;\n")
    for site, status in ((planted, 400), (None, 403)):  # 400: the body is looked at
        folder = tmp_path / str(status)
        folder.mkdir()
        with front(folder, own_ports, site) as origin:
            answer = exchange(
                origin.port,
                "POST",
                "/devoluciones/api/auth/login",
                {},
                headers={"Origin": f"https://{LOOPBACK}:{origin.port}"},
            )
        assert answer.status == status, answer
