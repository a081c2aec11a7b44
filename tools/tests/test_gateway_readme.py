"""The gateway's README names each of its rooms."""

import re

from tools.packages import ROOT


def test_the_readme_names_each_room() -> None:
    folder = ROOT / "services/erp-gateway"
    page = (folder / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE)
    assert named == sorted(each.parent.name for each in folder.glob("src/erp_gateway/*/__init__.py"))
