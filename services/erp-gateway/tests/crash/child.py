"""Sends and resolves change sets in processes that can be killed; see `servicekit.testing.killing`."""

import asyncio
import os
from typing import Any

import httpx2

from erp_gateway.app import create_app
from erp_gateway.components import Components, open_components
from erp_gateway.settings.root import load_settings
from servicekit.testing.killing import LaterClock, Steps, serve


async def work(command: dict[str, Any]) -> dict[str, Any]:
    """Open the gateway, sign in, and carry out one command."""
    settings = load_settings({"CONFIG_FILE": os.devnull, "ENVIRONMENT": "test", **command["environment"]})
    async with open_components(settings, clock=LaterClock(command["ahead_s"])) as components:
        transport = httpx2.ASGITransport(app=create_app(components))
        async with httpx2.AsyncClient(transport=transport, base_url="http://gateway", timeout=60) as client:
            body = {"username": "ana", "password": "ana-demo"}
            signed_in = await client.post("/api/auth/login", json=body)
            client.headers["Authorization"] = f"Bearer {signed_in.json()['token']}"
            if command["action"] == "send":
                return await send(client, command)
            return await resolve(client, components, command)


async def send(client: httpx2.AsyncClient, command: dict[str, Any]) -> dict[str, Any]:
    """Send a change set; its task and those that it starts are counted."""
    steps = Steps(command.get("kill_at"))
    steps.begin()
    sending = client.post(
        "/api/change-sets",
        json={"operations": command["operations"]},
        headers={"Idempotency-Key": command["key"]},
    )
    answer = await asyncio.create_task(sending)
    return {"steps": steps.count, "status": answer.status_code, "body": answer.json()}


async def resolve(
    client: httpx2.AsyncClient, components: Components, command: dict[str, Any]
) -> dict[str, Any]:
    """Look up unknown writes whose records carry a number, and settle the others as the command says."""
    lookups = components.writes.lookups
    while lookups is not None and await lookups.run_due():
        pass
    unknown = (await client.get("/api/writes?resultado=unknown")).json()["items"]
    for row in unknown[: 1 if lookups is None else 0]:
        settled = await client.post(f"/api/writes/{row['id']}/settle", json={"result": command["result"]})
        if settled.status_code != 200:
            return {"error": settled.text}
    left = (await client.get("/api/writes?resultado=unknown")).json()["total"]
    return {"left": left}


if __name__ == "__main__":
    serve(work)
