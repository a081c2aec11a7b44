"""The compose files as an administrator reads them: bounded, locked in, secrets as files, the pairs alike.

Without an engine: the files are merged here as far as is needed. `make images-check` runs them.
"""

import re
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from tools.packages import ROOT
from tools.tests.test_release import deployed

from erp_gateway.reports.html.printing.weasyprint_process import MAX_MEMORY_BYTES
from erp_gateway.settings.html_pdf import HtmlPdf
from erpclient.tax_documents import reading as reading_processes
from servicekit.pdfs import processes as pdf_processes
from servicekit.pdfs import wire as pdf_wire
from supplier_returns.settings.tax_documents import TaxDocuments

DEPLOY = ROOT / "deploy"
ORDINARY = ("compose.yaml",)
HA = ("compose.yaml", "compose.ha.yaml")
WHOLE = {"ordinary": ORDINARY, "ha": HA}
PAIRS = {"erp-gateway": "erp-gateway-standby", "supplier-returns": "supplier-returns-backup"}
Service = dict[str, Any]


def read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((DEPLOY / name).read_text("utf-8"))
    return content


def merged(low: Any, high: Any) -> Any:
    """Put one value on top of another as compose does: mappings by name, lists one after the other."""
    if isinstance(low, dict) and isinstance(high, dict):
        return {**low, **{key: merged(low[key], each) if key in low else each for key, each in high.items()}}
    if isinstance(low, list) and isinstance(high, list):
        return [*low, *high]
    return high


def services(*names: str) -> dict[str, Service]:
    """Return the services of files on top of each other, with what they extend."""
    found: dict[str, Service] = {}
    for name in names:
        for service, declared in read(name)["services"].items():
            extended = declared.pop("extends", None)
            base = read(extended["file"])["services"][extended["service"]] if extended else {}
            found[service] = merged(merged(found.get(service, {}), base), declared)
    return found


def secrets(*names: str) -> set[str]:
    return {secret for name in names for secret in read(name).get("secrets", {})}


@pytest.mark.parametrize("files", WHOLE.values(), ids=WHOLE)
def test_every_service_is_locked_in_and_bounded(files: tuple[str, ...]) -> None:
    for name, service in services(*files).items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert service["restart"] == "unless-stopped", name
        assert service["pids_limit"] > 0, name
        assert service["mem_limit"], name
        assert re.fullmatch(r"\$\{\w+_CPUS:-[12]\}", service["cpus"]), name
        assert set(service["logging"]["options"]) == {"max-size", "max-file"}, name
        assert service["stop_grace_period"], name
        assert service["tmpfs"], name


def test_no_project_image_runs_as_root() -> None:
    files = sorted(ROOT.glob("*/*/Dockerfile"))
    assert len(files) == 4
    for file in files:
        last = re.findall(r"^USER (\S+)$", file.read_text("utf-8"), re.MULTILINE)[-1]
        assert re.fullmatch(r"[1-9]\d{4}:[1-9]\d{4}", last), file


@pytest.mark.parametrize("files", WHOLE.values(), ids=WHOLE)
def test_only_the_origin_publishes_a_port(files: tuple[str, ...]) -> None:
    published = {name: each["ports"] for name, each in services(*files).items() if "ports" in each}
    assert published == {"nginx": ["${ORIGIN_BIND:-127.0.0.1}:${ORIGIN_PORT:-8080}:8080"]}
    assert all("network_mode" not in each for each in services(*files).values())


def test_returns_have_an_origin_of_their_own_only_where_that_file_is_added() -> None:
    added = services(*ORDINARY, "compose.returns-origin.yaml")["nginx"]
    before = services(*ORDINARY)["nginx"]
    assert set(added["ports"]) - set(before["ports"]) == {"${RETURNS_BIND:-127.0.0.1:8081}:8081"}
    assert set(added["volumes"]) - set(before["volumes"]) == {
        "./returns-origin.conf:/etc/nginx/returns-origin.conf:ro"
    }
    whole = read("compose.returns-origin.yaml")["services"]["nginx"]
    assert set(whole) == {"environment", "command", "ports", "volumes"}, "nothing of the rest changes"
    assert whole["command"][-1].strip().splitlines()[-1] == 'exec nginx -p /tmp/ -e stderr -g "{}"'.format(
        read("compose.yaml")["services"]["nginx"]["command"][-1]
    )


def test_nginx_uses_only_the_service_ports() -> None:
    places = [*re.findall(r"http://[\w.-]+:(\d+)", (DEPLOY / "site.conf").read_text("utf-8"))]
    places += re.findall(r"http://[\w.-]+:(\d+)", (DEPLOY / "second-places.conf").read_text("utf-8"))
    assert places == ["3000"] * 4
    for gateway in ("erp-gateway", "erp-gateway-standby"):
        assert services(*HA)[gateway]["environment"]["METRICS_PORT"] not in places


@pytest.mark.parametrize(("first", "second"), PAIRS.items())
@pytest.mark.parametrize("files", [HA, ("compose.yaml", "compose.dev.yaml", *HA[1:], "compose.ha.dev.yaml")])
def test_the_two_processes_of_a_pair_differ_only_in_start_order(
    files: tuple[str, ...], first: str, second: str
) -> None:
    one, other = (as_sets(services(*files)[name]) for name in (first, second))
    waits_for = {name: each.pop("depends_on", {}) for name, each in ((first, one), (second, other))}
    assert one == other
    if first in waits_for[second]:
        assert waits_for[second].pop(first) == {"condition": "service_started"}  # never: healthy
    assert waits_for[first] == waits_for[second]


def as_sets(service: Mapping[str, Any]) -> dict[str, Any]:
    """Return it with what has no order as sets; files on top of each other name some of it twice."""
    return {
        key: {str(each) for each in value} if isinstance(value, list) else value
        for key, value in service.items()
    }


def test_both_gateways_use_one_lock_and_store_their_sessions() -> None:
    for gateway in ("erp-gateway", "erp-gateway-standby"):
        service = services(*HA)[gateway]
        assert (
            service["environment"].items()
            >= {
                "STANDBY": "true",
                "SESSIONS_IN_STORE": "true",
                "STORE_URL_FILE": "/run/secrets/store_url",
            }.items()
        )
        assert {"store_url", "erp_sl_password"} <= set(service["secrets"])
        assert {"edge", "erp", "store"} == set(service["networks"])


def test_both_returns_demand_the_proven_fence() -> None:
    for returns in ("supplier-returns", "supplier-returns-backup"):
        assert services(*HA)[returns]["environment"]["HAS_BACKUP"] == "true"


def test_postgresql_is_used_only_by_the_gateways() -> None:
    found = services(*HA)
    postgres = found["postgres"]
    assert postgres["image"] == "${POSTGRES_IMAGE:?deploy/.env has it}"
    assert "POSTGRES_IMAGE" in deployed()
    assert postgres["networks"] == ["store"]
    assert read("compose.ha.yaml")["networks"] == {"store": {"internal": True}}
    assert {name for name, each in found.items() if "store" in each["networks"]} == {
        "postgres",
        "erp-gateway",
        "erp-gateway-standby",
    }
    assert postgres["environment"]["POSTGRES_PASSWORD_FILE"] == "/run/secrets/postgres_password"
    assert postgres["user"].split(":")[0] not in ("0", "root")
    assert "pg_isready" in postgres["healthcheck"]["test"]


@pytest.mark.parametrize("files", WHOLE.values(), ids=WHOLE)
def test_secrets_are_declared_files(files: tuple[str, ...]) -> None:
    used = set()
    for name, service in services(*files).items():
        used |= set(service.get("secrets", ()))
        for variable, value in service.get("environment", {}).items():
            if re.search(r"PASSWORD|SECRET|TOKEN|STORE_URL", variable):
                assert variable.endswith("_FILE"), (name, variable)
                assert value.removeprefix("/run/secrets/") in service["secrets"], (name, variable)
    assert used == secrets(*files)


def test_every_place_that_nginx_passes_on_to_is_a_service() -> None:
    text = "".join((DEPLOY / name).read_text("utf-8") for name in ("site.conf", "second-places.conf"))
    assert set(re.findall(r"http://([\w.-]+):", text)) == {*PAIRS, *PAIRS.values()}
    mounted = services(*HA)["nginx"]["volumes"]
    assert "./second-places.conf:/etc/nginx/second-places.conf:ro" in mounted
    assert {"erp-gateway-standby", "supplier-returns-backup"} <= set(services(*HA)["nginx"]["depends_on"])


def test_nginx_never_hands_on_by_itself() -> None:
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    assert re.findall(r"proxy_next_upstream \S+;", text) == ["proxy_next_upstream off;"]
    assert text.count("error_page 502 504 = @second_place;") == 5
    for location in ("@second_place", "@first_place_again"):
        block = text[text.index(f"location {location} {{") :]
        assert block.index("$given_up = 502") < block.index("$given_up = 504") < block.index("proxy_pass")


def test_each_variant_of_the_gateway_image_has_its_own_tag() -> None:
    image = services(*ORDINARY)["erp-gateway"]["image"]
    assert image.endswith("${PDF_ENGINE:+-${PDF_ENGINE:-}}${WITH_HANA:+-hana}")


MIB = 1024 * 1024
UNITS = {"m": MIB, "g": 1024 * MIB}
OWN_SHARE_BYTES = 512 * MIB
"""Memory left for a service itself when all its processes use their limits."""


def in_bytes(limit: str) -> int:
    """Return the default of a limit such as `${RETURNS_MEMORY:-3g}`."""
    found = re.fullmatch(r"(?:\$\{\w+:-)?(\d+)([mg])\}?", limit)
    assert found, limit
    return int(found[1]) * UNITS[found[2]]


def memory_of_processes() -> dict[str, int]:
    """Return what the processes beside each service may use together, with the default settings."""
    pdfs = pdf_processes.AT_ONCE * pdf_wire.MEMORY_BYTES
    reading = reading_processes.PROCESSES * reading_processes.most_memory_bytes(TaxDocuments().max_bytes)
    return {
        "supplier-returns": pdfs + reading,
        "erp-gateway": pdfs + HtmlPdf().max_concurrency * MAX_MEMORY_BYTES,
    }


@pytest.mark.parametrize("files", WHOLE.values(), ids=WHOLE)
@pytest.mark.parametrize("name", PAIRS)
def test_the_memory_of_a_service_fits_into_its_container(files: tuple[str, ...], name: str) -> None:
    containers = services(*files)
    for each in {name, PAIRS[name]} & containers.keys():
        (folder,) = set(containers[each]["tmpfs"])
        in_memory = in_bytes(re.findall(r"size=(\d+[mg])", folder)[0])
        needed = memory_of_processes()[name] + in_memory + OWN_SHARE_BYTES
        assert in_bytes(containers[each]["mem_limit"]) >= needed, each


def test_resource_limits_are_set_in_one_file() -> None:
    names = {file.name for file in DEPLOY.glob("compose*.yaml") if "_MEMORY:-" in file.read_text("utf-8")}
    assert names == {"compose.yaml", "compose.ha.yaml"}, "Prometheus and rsyslog have fixed limits"
    assert re.findall(r"(\w+_MEMORY):-", (DEPLOY / "compose.ha.yaml").read_text("utf-8")) == [
        "POSTGRES_MEMORY"
    ]
    bounded = [file.name for file in DEPLOY.glob("compose*.yaml") if "mem_limit" in file.read_text("utf-8")]
    assert sorted(bounded) == [
        *("compose.companies.yaml", "compose.ha.yaml", "compose.monitoring.yaml", "compose.yaml")
    ], "nginx, a database"


@pytest.mark.parametrize("files", WHOLE.values(), ids=WHOLE)
def test_every_service_reads_the_folder_of_the_erps_certificates(files: tuple[str, ...]) -> None:
    for name, service in services(*files).items():
        if name.startswith(("erp-gateway", "supplier-returns")):
            assert "${AUTHORITIES:-./authorities}:/authorities:ro" in service["volumes"], name
            image = ROOT / "services" / name.removesuffix("-standby").removesuffix("-backup") / "Dockerfile"
            assert "ERP_CA_FOLDER=/authorities" in image.read_text("utf-8"), name
    company = (DEPLOY / "compose.company.yaml").read_text("utf-8")
    assert company.count('volumes: ["./${COMPANY}/authorities:/authorities:ro"]') == 2


def test_only_one_compose_file_builds_and_installations_do_not_use_it() -> None:
    building = [
        file.name for file in DEPLOY.glob("compose*.yaml") if "\n    build:" in file.read_text("utf-8")
    ]
    assert building == ["compose.build.yaml"]
    documented = [
        page.name
        for page in (ROOT / "docs").glob("*.md")
        if "COMPOSE_FILE=" in (text := page.read_text("utf-8")) and "compose.build.yaml" in text
    ]
    assert documented == []


def test_project_images_may_come_from_a_registry() -> None:
    for files in (ORDINARY, HA, ("compose.yaml", "compose.dev.yaml")):
        for name, service in services(*files).items():
            image = service["image"]
            ours = not image.startswith(("${NGINX_IMAGE", "${POSTGRES_IMAGE"))
            assert image.startswith("${IMAGE_REGISTRY:+${IMAGE_REGISTRY:-}/}") is ours, name
