"""Compiled web application: its files, its routes, and no other files of the disk."""

import gzip
import os
from collections.abc import Mapping
from pathlib import Path

import httpx2
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from servicekit.config import networks
from servicekit.endpoint import AppSettings, create_app
from supplier_returns.web.static_app import IMMUTABLE, create_static_app

CSP = "default-src 'self'"
PAGE = '<!doctype html><html><head lang="es"><base href="/"></head></html>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    dist = tmp_path / "browser"
    (dist / "media").mkdir(parents=True)
    for name, content in {
        "index.html": PAGE,
        "main-5XHDFJ3K.js": "let answer = 42;" * 10,
        "main-5XHDFJ3K.js.map": "{}",
        "styles.3f2a1b4c.css": "a{}",
        "logo-principal.svg": "<svg/>",
        "informe-20240101.pdf": "%PDF",
        "LICENSE": "text",
        "año.txt": "2026",
        "modelo-1.5MM": "there",
        "media/font-ABCDEFGH.woff2": "font",
        ".env": "SECRET",
        ".git/config": "SECRET",
    }.items():
        (dist / name).parent.mkdir(exist_ok=True)
        (dist / name).write_text(content, encoding="utf-8")
    (dist / "main-5XHDFJ3K.js.gz").write_bytes(gzip.compress(b"let answer = 42;" * 10))
    (dist / "main-5XHDFJ3K.js.br").write_bytes(b"brotli")
    (tmp_path / "secret.txt").write_text("SECRET", encoding="utf-8")
    (dist / "link.txt").symlink_to(tmp_path / "secret.txt")
    (dist / "loop.txt").symlink_to(dist / "loop.txt")
    (dist / "outside").symlink_to(tmp_path)
    return dist


def application(folder: Path, *, show_sources: bool = False) -> ASGIApp:
    return create_app(
        (),
        guard=lambda endpoint: endpoint.handler,
        settings=AppSettings(trusted_proxies=networks().read("10.0.0.1")),
        fallback=create_static_app(folder, csp=CSP, show_sources=show_sources),
    )


async def ask(
    folder: Path,
    path: str,
    headers: Mapping[str, str] | None = None,
    *,
    method: str = "GET",
    show_sources: bool = False,
) -> httpx2.Response:
    """Request a path exactly as written, since HTTP clients would normalize it."""
    app = application(folder, show_sources=show_sources)

    async def as_written(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "raw_path": path.encode(), "path": path}, receive, send)

    transport = httpx2.ASGITransport(app=as_written, client=("10.0.0.1", 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://returns") as client:
        given = {"Accept-Encoding": "identity", **(headers or {})}
        return await client.request(method, "/", headers=given)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "path",
    [
        "/", "/index.html", "/planificaciones/12", "/planificaciones/", "/apis", "/media/", "/LICENSE",
        "/articulos/A%2F1", "/articulos/A%2F", "/articulos/a:b", "/articulos/A%5C1", "/articulos/A%2F1/lotes",
        "/articulos/TUB-1.5MM", "/articulos/TUB-1.5MM/", "/articulos/1.5", "/articulos/V1.",
        "/articulos/a..b", "/articulos/A%2F1.5", "/articulos/A:1.5", "/articulos/A%5C1.5",
        "/articulos/TUB%2E5", "/articulos/%C3%91.%C3%91", "/outside/secret.bin", "/media/1.5/lotes",
        "/articulos/" + "A.5" * 300, "/usuarios/ana@x.cl",
    ],
)  # fmt: skip
async def test_routes_of_the_application_return_its_page(folder: Path, path: str) -> None:
    answer = await ask(folder, path)
    assert (answer.status_code, answer.text) == (200, PAGE)
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.headers["Content-Security-Policy"] == CSP
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "media_type", "cached"),
    [
        ("/main-5XHDFJ3K.js", "text/javascript; charset=utf-8", IMMUTABLE),
        ("/styles.3f2a1b4c.css", "text/css; charset=utf-8", IMMUTABLE),
        ("/media/font-ABCDEFGH.woff2", "font/woff2", IMMUTABLE),
        ("/logo-principal.svg", "image/svg+xml", "no-cache"),
        ("/informe-20240101.pdf", "application/pdf", "no-cache"),
        ("/a%C3%B1o.txt", "text/plain; charset=utf-8", "no-cache"),
        ("/modelo-1.5MM", "application/octet-stream", "no-cache"),
    ],
)
async def test_a_file_with_a_hash_in_its_name_is_cached_for_a_year(
    folder: Path, path: str, media_type: str, cached: str
) -> None:
    answer = await ask(folder, path)
    assert answer.status_code == 200
    assert (answer.headers["Content-Type"], answer.headers["Cache-Control"]) == (media_type, cached)


HASHED = [
    "main-5XHDFJ3K.js", "chunk-ABCDEFGH.mjs",  # esbuild: base32
    "index-BNbZ0Hx_.js", "index-CEU5Zv2k.css", "vendor-C7ynYqQo.js", "logo.BwIUnwjF.svg", "main-D-x9K2aB.js",
    "_plugin-vue--aB3dE5f.js", "index-BNbZ0Hx_.js.map",  # Vite and Rollup: base64url
    "styles.3f2a1b4c.css", "main.8d1f0c2b9a7e6d5c4b3a.min.js",  # webpack: hexadecimal
]  # fmt: skip
NOT_HASHED = [
    "index.html", "BNbZ0Hx_.js", "index-BNbZ0Hx.js", "index-BNbZ0Hx_9.js", "indexBNbZ0Hx_.js",
    "guia-material.pdf", "page-AdminApp.js", "page-MyAppOne.js", "page-HTMLPage.js", "page-JavaSite.js",
    "foto-Bodega01.png", "foto-Foto_001.png", "logo-V2_Final.svg", "logo-McDonald.svg", "icon-iPhone15.png",
    "informe-20240101.pdf", "lib-v1-2-3-4.js", "lib-es-5-v2x.js", "jquery-3.7.1.min.js",
    "tabla-a1b2c3d4e5.GZ", "guia-facadeca.pdf",
]  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "cached"),
    [*((name, IMMUTABLE) for name in HASHED), *((name, "no-cache") for name in NOT_HASHED)],
)
async def test_hashes_of_build_tools_are_recognized_and_words_are_not(
    folder: Path, name: str, cached: str
) -> None:
    (folder / name).write_text("content", encoding="utf-8")
    answer = await ask(folder, f"/{name}", show_sources=True)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, cached)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "path",
    [
        "/api", "/api/", "/api/nada", "/%61pi/nada", "/missing.js", "/.env", "/.git/config", "/.git",
        "/../secret.txt", "/media/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt",
        "/..%5csecret.txt", "/media%2ffont-ABCDEFGH.woff2", "/%00.txt", "/C:.txt", "//etc/passwd.txt",
        "/link.txt", "/loop.txt", "/outside/secret.txt", "/%ff.txt", "/main-5XHDFJ3K.js.map",
        "/main-5XHDFJ3K.js.br", "/main-5XHDFJ3K.js.gz", "/media/a:font-ABCDEFGH.woff2", "/articulos/a%0Ab",
        "/articulos/a%7F", "/articulos/..%2Fb", "/articulos/a%2F..%2Fb/c", "/articulos/a%5C..%5Cb/c",
        "/articulos/./b", "/articulos/../b", "/articulos//b", "/api%2Fnada", "/api%5Cnada",
        "/articulos/a%2Flogo-principal.svg", "/missing.CSS", "/articulos/foto.PNG", "/missing.abc123.woff2",
        "/api/articulos/1.5MM", "/api%2Fa.5MM", "/articulos/a:b.json", "/.5MM", "/articulos/.5MM",
        "/a/..%2F1.5MM", "/missing.js/", "/missing.zip", "/missing.mp4",
    ],
)  # fmt: skip
async def test_other_files_are_not_served(folder: Path, path: str) -> None:
    answer = await ask(folder, path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.asyncio
async def test_source_maps_are_served_outside_production(folder: Path) -> None:
    assert (await ask(folder, "/main-5XHDFJ3K.js.map", show_sources=True)).text == "{}"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("", None),
        ("zstd", None),
    ],
)
async def test_a_compressed_twin_is_sent_to_clients_that_accept_it(
    folder: Path, accepted: str, encoding: str | None
) -> None:
    path = folder / "main-5XHDFJ3K.js.br"
    answer = await ask(folder, "/main-5XHDFJ3K.js", {"Accept-Encoding": accepted}, method="HEAD")
    assert answer.headers.get("Content-Encoding") == encoding
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert (int(answer.headers["Content-Length"]) == path.stat().st_size) is (encoding == "br")


@pytest.mark.asyncio
async def test_cached_files_are_not_sent_again_and_ranges_are_supported(folder: Path) -> None:
    path = "/main-5XHDFJ3K.js"
    first = await ask(folder, path)
    tag = first.headers["ETag"]
    for tags in (tag, f'"x", W/{tag}', "*"):
        again = await ask(folder, path, {"If-None-Match": tags})
        assert (again.status_code, again.content) == (304, b"")
        assert (again.headers["ETag"], again.headers["Cache-Control"]) == (tag, IMMUTABLE)
    assert (await ask(folder, path, {"If-None-Match": '"x"'})).status_code == 200
    part = await ask(folder, path, {"Range": "bytes=4-9"})
    assert (part.status_code, part.text) == (206, "answer")
    for ignored in ("items=4-9", "bytes=9-4", "bytes=x", "bytes"):
        whole = await ask(folder, path, {"Range": ignored})
        assert (whole.status_code, whole.text) == (200, first.text), ignored
    beyond = await ask(folder, path, {"Range": "bytes=9999-"})
    assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, "bytes */160")
    assert (await ask(folder, path, {"Range": "bytes=4-9"}, method="HEAD")).status_code == 200
    both = await ask(folder, path, {"Range": "bytes=4-9,12-12"})
    assert (both.status_code, both.content.count(b"answer")) == (206, 1)
    os.utime(folder / "main-5XHDFJ3K.js", (1, 1))
    assert (await ask(folder, path)).headers["ETag"] != tag


@pytest.mark.asyncio
async def test_behind_a_prefix_the_page_has_a_base_element(folder: Path) -> None:
    prefix = {"X-Forwarded-Prefix": "/devoluciones", "X-Forwarded-For": "10.9.9.9"}
    answer = await ask(folder, "/planificaciones/12", prefix)
    assert answer.text == PAGE.replace('<base href="/">', '<base href="/devoluciones/">')
    tag = answer.headers["ETag"]
    assert (await ask(folder, "/", {**prefix, "If-None-Match": tag})).status_code == 304
    assert (await ask(folder, "/")).headers["ETag"] != tag
    (folder / "index.html").write_text("<html><head><title>x</title></head></html>", encoding="utf-8")
    bare = await ask(folder, "/", prefix)
    assert bare.text == '<html><head><base href="/devoluciones/"><title>x</title></head></html>'


@pytest.mark.asyncio
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
async def test_only_get_and_head_are_allowed(folder: Path, method: str) -> None:
    answer = await ask(folder, "/planificaciones", method=method)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")
    assert (await ask(folder, "/api/nada", method=method)).status_code == 404


@pytest.mark.asyncio
async def test_a_deleted_page_is_not_found(folder: Path) -> None:
    (folder / "index.html").unlink()
    assert (await ask(folder, "/")).status_code == 404


def test_without_a_folder_no_application_is_served() -> None:
    assert create_static_app(None, csp=CSP, show_sources=True) is None
