"""Peer (b): a typical proxy with FastAPI, httpx and uvicorn.

It has one shared `AsyncClient`, checks the token in a dependency, and returns the upstream's body unchanged.

Run as: python -m bench.peers.fastapi_proxy PORT UPSTREAM_PORT
"""

import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

import httpx
import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

TOKEN = "bench-token"

bearer = HTTPBearer()


def check_token(credentials: Annotated[HTTPAuthorizationCredentials, Depends(bearer)]) -> None:
    """Reject every token but the expected one."""
    if not secrets.compare_digest(credentials.credentials, TOKEN):
        raise HTTPException(status_code=401, detail="invalid token")


def create_app(upstream: str) -> FastAPI:
    """Build the application; `upstream` is the address of the upstream without a path."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with httpx.AsyncClient(base_url=upstream, cookies={"B1SESSION": "bench"}) as client:
            app.state.client = client
            yield

    app = FastAPI(lifespan=lifespan)

    @app.get("/api/sl/{resource}", dependencies=[Depends(check_token)])
    async def list_rows(resource: str, request: Request) -> Response:
        client: httpx.AsyncClient = request.app.state.client
        reply = await client.get(f"/b1s/v1/{resource}", params=request.query_params)
        return Response(reply.content, status_code=reply.status_code, media_type="application/json")

    @app.post("/api/sl/{resource}", dependencies=[Depends(check_token)])
    async def create(resource: str, request: Request) -> Response:
        client: httpx.AsyncClient = request.app.state.client
        reply = await client.post(
            f"/b1s/v1/{resource}",
            content=await request.body(),
            headers={"Content-Type": "application/json"},
        )
        return Response(reply.content, status_code=reply.status_code, media_type="application/json")

    return app


def main(port: int, upstream_port: int) -> None:
    """Serve until killed."""
    app = create_app(f"http://127.0.0.1:{upstream_port}")
    uvicorn.run(app, host="127.0.0.1", port=port, access_log=False, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
