"""A client made by SAP's Cloud SDK of the description that the simulated ERP serves."""

import json
import ssl
import urllib.request
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

from tools.node import run

_EDM = "http://docs.oasis-open.org/odata/ns/edm"
_SETS = ("Items", "BusinessPartners", "Orders", "Warehouses")
_COMPILED = {
    "target": "es2022",
    "module": "commonjs",
    "moduleResolution": "node",
    "lib": ["es2022"],
    "skipLibCheck": True,  # the SDK's own declarations contradict each other in 4.5.1
}


def make_client(folder: Path, port: int, authority: Path, environ: Mapping[str, str]) -> None:
    """Generate the client for four entity sets into `generated` of a folder that has the SDK.

    Raises:
        subprocess.CalledProcessError: the generator failed.
    """
    request = urllib.request.Request(
        f"https://localhost:{port}/b1s/v2/$metadata", headers={"B1S-MetadataWithoutSession": "true"}
    )
    context = ssl.create_default_context(cafile=authority)
    with urllib.request.urlopen(request, context=context) as answer:
        description = ET.fromstring(answer.read())
    # the generator goes by prefixes
    ET.register_namespace("edmx", "http://docs.oasis-open.org/odata/ns/edmx")
    ET.register_namespace("", _EDM)
    (folder / "description").mkdir(exist_ok=True)
    (folder / "description/b1.edmx").write_bytes(ET.tostring(trimmed(description)))
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": _COMPILED}), encoding="utf-8")
    words = ["npx", "generate-odata-client", "--input", "description", "--outputDir", "generated"]
    words += ["--transpile", "--tsconfig", "tsconfig.json", "--clearOutputDir", "--skipValidation"]
    run(words, environ, cwd=folder)


def trimmed(description: ET.Element) -> ET.Element:
    """Leave of a description of version 4 the four sets and what they are made of, without navigation."""
    (schema,) = description.iter(f"{{{_EDM}}}Schema")
    (container,) = schema.iter(f"{{{_EDM}}}EntityContainer")
    types = {each.get("Name", ""): each for each in schema if each.tag.endswith("Type")}
    for each in list(container):
        if each.get("Name") not in _SETS or not each.tag.endswith("EntitySet"):
            container.remove(each)
        else:
            each[:] = []
    wanted = [_bare(each.get("EntityType", "")) for each in container]
    kept: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name in types and name not in kept:
            kept.add(name)
            for each in types[name].findall(f"{{{_EDM}}}NavigationProperty"):
                types[name].remove(each)
            wanted += [_bare(each.get("Type", "")) for each in types[name]]
    schema[:] = [*(types[name] for name in types if name in kept), container]
    return description


def _bare(name: str) -> str:
    return name.removeprefix("Collection(").removesuffix(")").rpartition(".")[2]
