"""The README's example works as it stands."""

import os
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest

from servicekit import config, endpoint, logs, server

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.asyncio
async def test_the_example_of_the_readme_works(
    open_client: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BACKEND_PASSWORD", "x")
    (example,) = (part.split("```")[0] for part in README.read_text("utf-8").split("```python\n")[1:])
    names: dict[str, Any] = {"os": os, "sys": sys, "attrs": attrs}
    for module in (config, endpoint, logs, server):
        names |= vars(module)
    from starlette.requests import Request
    from starlette.responses import Response

    names |= {"Request": Request, "Response": Response}
    exec(compile(example.replace("sys.exit(run(main()))", ""), str(README), "exec"), names)
    settings = config.load(names["Settings"], os.environ, own_prefixes=("BACKEND_",))
    assert settings.port == 3000
    app = endpoint.create_app(
        [names["GREET"]], guard=lambda each: each.handler, settings=endpoint.AppSettings()
    )
    answer = await open_client(app).get("/api/greetings/Jos%C3%A9")
    assert answer.json() == {"greeting": "Hola, José"}
