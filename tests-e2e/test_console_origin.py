"""nginx and the console: served where its folder is mounted; else its paths are the main application's."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from stack import nginx
from stack.exchange import Answer, exchange

from servicekit.testing.ports import free_port

Ask = Callable[..., Answer]


@contextmanager
def served(folder: Path, *, console: bool, application: str | None, name: str | None = None) -> Iterator[int]:
    """Run nginx alone, with or without the console and a main web application; give its port."""
    if application is not None:
        (folder / "web").mkdir()
        (folder / "web/index.html").write_text(application, encoding="utf-8")
    port = free_port()
    with nginx.origin(
        folder, port=port, erp_gateway=free_port(), console=console, console_name=name
    ) as child:
        child.wait_until_it_answers(port, "/")
        yield port


def test_the_console_policy_forbids_inline_and_foreign_content(ask: Ask) -> None:
    answer = ask("GET", "/consola/")
    policy = dict(each.strip().split(" ", 1) for each in answer.headers["Content-Security-Policy"].split(";"))
    assert answer.status == 200
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in str(policy)
    assert answer.headers["Cache-Control"] == "no-cache"


def test_the_report_frame_has_no_origin_and_runs_only_its_own_script(ask: Ask) -> None:
    answer = ask("GET", "/consola/hoja.html")
    policy = {each.strip() for each in answer.headers["Content-Security-Policy"].split(";")}
    assert {
        "default-src 'none'",
        "script-src 'self'",
        "sandbox allow-scripts",
        "frame-ancestors 'self'",
    } <= policy
    assert answer.content.count(b"<script") == 1
    assert ask("GET", "/consola/hoja.js").headers.get_content_type() == "text/javascript"


@pytest.mark.parametrize(
    "path", ["/consola/modules/nada.js", "/consola/.htaccess", "/consola/../nginx.conf", "/consolada"]
)
def test_a_missing_console_file_answers_404(ask: Ask, path: str) -> None:
    assert ask("GET", path).status == 404


def assets_of(page: bytes) -> list[str]:
    """Return the paths of the built files that the console's page names."""
    return [f"/consola/{name}" for name in re.findall(r"assets/[\w.-]+", page.decode())]


def test_scripts_are_compressed_and_have_the_script_type(ask: Ask) -> None:
    [path] = [each for each in assets_of(ask("GET", "/consola/").content) if "/core-" in each]
    answer = ask("GET", path, headers={"Accept-Encoding": "gzip"})
    assert answer.headers.get_content_type() == "text/javascript"
    assert len(answer.content) < len(ask("GET", path).content) / 2


def test_built_files_are_cached_for_a_year_and_the_page_is_revalidated(ask: Ask) -> None:
    page = ask("GET", "/consola/")
    paths = assets_of(page.content)
    assert len(paths) > 4
    for path in paths:
        answer = ask("GET", path)
        assert answer.status == 200, path
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    again = ask("GET", "/consola/", headers={"If-None-Match": page.headers["ETag"]})
    assert (page.headers["Cache-Control"], again.status) == ("no-cache", 304)


@pytest.mark.parametrize(
    "name", ["core-AAAAAAAA.js", "", "x/../nada.js", "%2e%2e/nada.html", "core-AAAAAAAA.js/x"]
)
def test_a_missing_asset_answers_404_and_is_not_cached(tmp_path: Path, name: str) -> None:
    with served(tmp_path, console=True, application="la del cliente") as port:
        answer = exchange(port, "GET", f"/consola/assets/{name}")
    assert answer.status in (403, 404) or answer.content == b"la del cliente"
    assert "immutable" not in str(answer.headers["Cache-Control"])
    if name.endswith(".js") and "." not in name[:4]:
        assert (answer.status, answer.code) == (404, "not_found")


def test_without_the_console_asset_names_belong_to_the_main_application(tmp_path: Path) -> None:
    with served(tmp_path, console=False, application="la del cliente") as port:
        answer = exchange(port, "GET", "/consola/assets/core-AAAAAAAA.js")
    assert (answer.status, answer.content) == (200, b"la del cliente")
    assert answer.headers["Cache-Control"] is None


@pytest.mark.parametrize("path", ["/consola", "/consola/", "/consola/ventas/1"])
def test_without_the_console_its_paths_belong_to_the_main_application(tmp_path: Path, path: str) -> None:
    with served(tmp_path, console=False, application="la del cliente") as port:
        answer = exchange(port, "GET", path)
    assert (answer.status, answer.content) == (200, b"la del cliente")


@pytest.mark.parametrize("path", ["/consola", "/consola/", "/consola/index.html"])
def test_without_console_and_main_application_the_paths_answer_404(tmp_path: Path, path: str) -> None:
    with served(tmp_path, console=False, application=None) as port:
        assert exchange(port, "GET", path).status == 404


def test_the_main_application_keeps_every_path_outside_the_console(tmp_path: Path) -> None:
    with served(tmp_path, console=True, application="la del cliente") as port:
        assert exchange(port, "GET", "/consola").headers["Location"] == "/consola/"
        assert b"Consola" in exchange(port, "GET", "/consola/").content
        assert exchange(port, "GET", "/").content == b"la del cliente"
        assert exchange(port, "GET", "/consolas/de/juego").content == b"la del cliente"


def test_the_landing_page_links_the_console(ask: Ask) -> None:
    assert 'href="consola/"' in ask("GET", "/").content.decode()


OWN_NAMES = ("consola.example.cl", "CONSOLA.example.cl", "consola.example.cl:8443")


@pytest.mark.parametrize("configured", ["consola.example.cl", "Consola.Example.cl"])
def test_a_console_with_its_own_host_name_shares_its_origin_with_no_page(
    tmp_path: Path, configured: str
) -> None:
    with served(tmp_path, console=True, application="main", name=configured) as port:

        def status(host: str, path: str) -> int:
            return exchange(port, "GET", path, headers={"Host": host}).status

        for host in OWN_NAMES:
            for path in ("/consola/", "/consola/index.html", "/%63onsola/", "/consola/hoja.js"):
                assert status(host, path) == 200, (host, path)
            assert status(host, "/") == 308
            for path in ("/api/health", "/devoluciones/api/health"):
                assert status(host, path) == 502, "the services are asked, and there are none here"
            for path in (
                "/index.html",
                "/other",
                "/consolas",
                "/devoluciones/",
                "/devoluciones/index.html",
                "/consola/no-such-file.js",
                "/apis",
                "/__problem",
            ):
                answer = exchange(port, "GET", path, headers={"Host": host})
                assert (answer.status, b"main" in answer.content) == (404, False), (host, path)
        for host in ("erp.example.cl", "127.0.0.1", "consola.example.cl.evil.example", "xconsola.example.cl"):
            assert status(host, "/") == 200
            assert status(host, "/consolas") == 200, "the main web application's"
            assert status(host, "/api/health") == 502
            for path in ("/consola", "/consola/", "/%63onsola/", "//consola/", "/consola/hoja.js"):
                assert status(host, path) == 404, (host, path)


def test_without_a_console_host_name_every_host_serves_the_console(tmp_path: Path) -> None:
    with served(tmp_path, console=True, application="main") as port:
        for host in ("consola.example.cl", "erp.example.cl"):
            assert exchange(port, "GET", "/consola/", headers={"Host": host}).status == 200
            assert exchange(port, "GET", "/", headers={"Host": host}).content == b"main"
