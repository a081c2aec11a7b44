"""Mako templates of reports: escaping forced, undefined names refused, nothing outside the report's folder."""

from pathlib import Path


class TemplateFault(Exception):
    """A template may not be used; the message says which file and why."""


class ReportTemplate:
    """One compiled template with its folder.

    Args:
        folder: the only place that templates are looked for in.
        name: name of the template inside the folder.

    Raises:
        TemplateFault: folder or template are missing, a template does not compile or lets text through
            unescaped.
    """

    def __init__(self, folder: Path, name: str) -> None:
        raise NotImplementedError
