"""Runs executions in child processes that can be killed; see `servicekit.testing.killing`."""

import os
from typing import Any

from erpclient import Caller
from servicekit.config import Secret
from servicekit.testing.killing import LaterClock, Steps, serve
from supplier_returns.components import open_components
from supplier_returns.settings.root import load_settings


async def work(command: dict[str, Any]) -> dict[str, Any]:
    """Sign in, and execute or reprocess. Return the resulting planning."""
    steps = Steps(command.get("kill_at"))
    settings = load_settings({"CONFIG_FILE": os.devnull, "ENVIRONMENT": "test", **command["environment"]})
    async with open_components(settings, clock=LaterClock(command["ahead_s"])) as components:
        caller = Caller("bodega")
        opened = await components.login.sign_in(
            "bodega", Secret("erpsim"), address="127.0.0.1", caller=caller
        )
        sources = components.execution_sources(opened.session, caller, ip="127.0.0.1")
        steps.begin()
        if command["action"] == "execute":
            run = components.execution.execute(sources, command["planning"], command["version"], None)
        else:
            run = components.execution.reprocess(sources, command["planning"], None, replan=False)
        planning = await run.task.result()
        return {
            "steps": steps.count,
            "state": planning.state.value,
            "documents": [document.state.value for document in planning.documents],
        }


if __name__ == "__main__":
    serve(work)
