"""docs/reports-and-queries.md: the example extension against a simulated ERP, with the page's commands."""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from servicekit.testing.ports import free_port

DOCS = Path(__file__).parents[4] / "docs"
EXAMPLE = DOCS / "examples/extension"
PAGE = (DOCS / "reports-and-queries.md").read_text(encoding="utf-8")
(TRYING,) = re.findall(r"^### Try it without an ERP\n.*?(?=^### )", PAGE, re.MULTILINE | re.DOTALL)
SIMULATOR, GATEWAY, CLIENT = re.findall(r"^```sh\n(.*?)^```", TRYING, re.MULTILINE | re.DOTALL)
START_S = 60.0

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(
        shutil.which("curl") is None or shutil.which("bash") is None, reason="no curl or bash"
    ),
]


class Terminal:
    """A folder, and ports of its own in the place of those that the page names."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ports = {name: str(free_port()) for name in ("50001", "30015", "3000")}
        shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
        settings = folder / "acme.env"
        settings.write_text(self._here(settings.read_text(encoding="utf-8")), encoding="utf-8")

    def _here(self, text: str) -> str:
        return re.sub(r"\b(?:50001|30015|3000)\b", lambda port: self._ports[port[0]], text)

    async def start(self, commands: str) -> asyncio.subprocess.Process:
        """Run commands, the exit codes of all counting but the doctor's."""
        bin_folder = str(Path(sys.executable).parent)
        return await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            re.sub(
                r"^((?:CONFIG_FILE\S+ )?erp(?:sim|-gateway) serve)",
                r"exec \1",
                self._here(commands),
                flags=re.MULTILINE,
            ),
            cwd=self._folder,
            env={
                "PATH": os.pathsep.join((bin_folder, os.environ["PATH"])),
                "HOME": str(self._folder),
                "PORT": self._ports["3000"],
                "HTML_PDF_ENGINE": "none",  # nothing is printed here
                "PYTHONUNBUFFERED": "1",
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )

    @asynccontextmanager
    async def serving(self, commands: str, until: str) -> AsyncIterator[str]:
        """Run commands of which the last stays, and give what was said until it serves."""
        process = await self.start(commands)
        assert process.stdout is not None
        try:
            said = ""
            async with asyncio.timeout(START_S):
                while until not in said:
                    line = await process.stdout.readline()
                    assert line, said
                    said += line.decode()
            rest = asyncio.create_task(process.stdout.read())
            yield said
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()
        await rest


async def test_the_commands_of_the_extension_page_give_the_documented_results(tmp_path: Path) -> None:
    pytest.importorskip("hdbcli.dbapi")
    terminal = Terminal(tmp_path)
    async with (
        terminal.serving(SIMULATOR, "erpsim ready"),
        terminal.serving(GATEWAY, '"event":"listening"') as said,
    ):
        assert "extension acme_erp: 1 resource, 1 query, 1 report" in said
        assert "database_may_write" in said
        assert not re.search("sets_missing|keys_differ|properties_missing|queries_refused", said), said
        asking = await terminal.start(CLIENT)
        output = (await asking.communicate())[0].decode()
        assert asking.returncode == 0, output
        assert '"Name" : "Norte"' in output
        assert '"truncated":false' in output
        assert "<h1>Clientes con saldo mayor que 500000</h1>" in output
        assert re.search(r"^luis\t/rutas /finanzas/saldos /reportes-html/ejecutar\t", output, re.MULTILINE), (
            output
        )
