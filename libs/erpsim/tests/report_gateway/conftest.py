"""Clients of a running report gateway: logged in, exporting, reading what the PDFs say."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import aiohttp
import pypdfium2  # type: ignore[import-untyped, unused-ignore] # it carries no types
import pytest

from erpsim.report_gateway import ReportGateway

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]
Export = Callable[..., Awaitable[tuple[int, bytes]]]


@pytest.fixture
def sign_in() -> SignIn:
    """Return what logs in and yields a client that sends both cookies."""

    @asynccontextmanager
    async def sign_in(
        gateway: ReportGateway, user: str = "manager", **members: str
    ) -> AsyncIterator[aiohttp.ClientSession]:
        body = {"CompanyDB": "SBO_DEMO", "UserName": user, "Password": "erpsim", **members}
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as opener:
            answer = await opener.post(f"{gateway.url}/login", json=body)
            cookies = [value.split(";")[0] for value in answer.headers.getall("Set-Cookie")]
        async with aiohttp.ClientSession(
            base_url=f"{gateway.url}/",
            headers={"Cookie": "; ".join(cookies)},
            cookie_jar=aiohttp.DummyCookieJar(),
        ) as client:
            yield client

    return sign_in


@pytest.fixture
def export() -> Export:
    """Return what exports a layout: values by name, or a whole array; status and body of the answer."""
    types = {"Fecha": "xsd:date", "RangeDate@": "xsd:date", "Minimo": "xsd:decimal"}

    async def export(
        client: aiohttp.ClientSession, code: str, values: Mapping[str, Any] | list[Any]
    ) -> tuple[int, bytes]:
        array = values
        if isinstance(values, Mapping):
            keys = ("dockey@", "objectid@")
            array = [
                {
                    "name": name,
                    "type": "xsd:decimal" if name.lower() in keys else types.get(name, "xsd:string"),
                    "value": value if isinstance(value, list) else [[value]],
                }
                for name, value in values.items()
            ]
        answer = await client.post("rs/v1/ExportPDFData", params={"DocCode": code}, json=array)
        return answer.status, await answer.read()

    return export


@pytest.fixture
def pages() -> Callable[[bytes], list[str]]:
    """Return what reads the text of each page of an export."""

    def pages(body: bytes) -> list[str]:
        document = pypdfium2.PdfDocument(base64.b64decode(body, validate=True))
        texts = []
        for page in document:
            text = page.get_textpage()
            texts.append(text.get_text_range())
            text.close()
            page.close()
        document.close()
        return texts

    return pages


@pytest.fixture
def paper() -> Callable[[bytes], tuple[int, int]]:
    """Return what reads the size of an export's first page, in points."""

    def paper(body: bytes) -> tuple[int, int]:
        document = pypdfium2.PdfDocument(base64.b64decode(body, validate=True))
        width, height = document[0].get_size()
        document.close()
        return round(width), round(height)

    return paper
