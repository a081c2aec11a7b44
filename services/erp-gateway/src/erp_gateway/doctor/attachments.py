"""Checks of the company's folder for attachments."""

from types import MappingProxyType
from typing import Final
from urllib.parse import quote

import msgspec

from erpdoctor.checks import Checks, Finding, Group, declares_check, ok, warn
from erpdoctor.service_layer.context import CheckContext
from erpdoctor.service_layer.faults import FAULTS, UNEXPECTED

ATTACHMENTS: Final = Group("attachments", "docs/doctor.md#attachments")

FOLDER_UNTOLD: Final = warn(
    "attachments_folder_untold",
    "El ERP no dice cuál es su carpeta de archivos adjuntos.",
    english="The account can't read the company's folders, or `Attachments2`.",
    remedy="Dé al usuario de ERP_SL_USER el derecho a leer los parámetros generales y los anexos.",
    english_remedy="Give the user of ERP_SL_USER the right to read the general settings and attachments.",
    page="docs/api.md#files-of-a-record",
)
FOLDER_UNSET: Final = warn(
    "attachments_folder_unset",
    "La sociedad no tiene carpeta de archivos adjuntos: no se pueden agregar archivos.",
    english="The general settings name no folder: no file can be added.",
    remedy="Nómbrela en los parámetros generales del ERP; si el Service Layer corre en Linux, móntela ahí.",
    english_remedy="Name it in the ERP's general settings; if the Service Layer runs on Linux, mount "
    "it there.",
    page="docs/api.md#files-of-a-record",
)
FOLDER_UNREACHABLE: Final = warn(
    "attachments_folder_unreachable",
    "El Service Layer no alcanza un archivo adjunto que la sociedad tiene.",
    english="A file could not be read. On Linux the folder is not mounted.",
    remedy="Si corre en Linux, monte ahí la carpeta (CIFS) con permiso de escritura; si no, dele acceso.",
    english_remedy="If it runs on Linux, mount the folder (CIFS) there with write permission; if "
    "not, give it access.",
    page="docs/api.md#files-of-a-record",
)


class _Folders(msgspec.Struct):
    attachments: str | None = msgspec.field(name="AttachmentsFolderPath", default=None)


class _Line(msgspec.Struct):
    name: str = msgspec.field(name="FileName")
    extension: str = msgspec.field(name="FileExtension")


class _Entry(msgspec.Struct):
    number: int = msgspec.field(name="AbsoluteEntry")
    lines: list[_Line] = msgspec.field(name="Attachments2_Lines", default_factory=list)


class _Entries(msgspec.Struct):
    value: list[_Entry]


class AttachmentChecks(Checks):
    """Check the attachments folder by reading the newest file in it.

    Args:
        context: shared session of the run.
    """

    group = ATTACHMENTS
    faults = MappingProxyType({**FAULTS, msgspec.DecodeError: UNEXPECTED})

    def __init__(self, context: CheckContext) -> None:
        self._context = context

    @declares_check(
        "folder",
        "Carpeta de archivos adjuntos",
        FOLDER_UNTOLD,
        FOLDER_UNSET,
        FOLDER_UNREACHABLE,
        needs=("service-layer.login",),
        english="The company names its folder, and the Service Layer can read a file in it.",
    )
    async def _folder(self) -> Finding:
        reply = await self._context.inspection.ask("CompanyService_GetPathAdmin")
        if not reply.good:
            return FOLDER_UNTOLD.found(status=reply.status)
        if not msgspec.json.decode(reply.body, type=_Folders).attachments:
            return FOLDER_UNSET.found()
        newest = await self._context.read("/Attachments2?$orderby=AbsoluteEntry%20desc&$top=1")
        if not newest.good:
            return FOLDER_UNTOLD.found(status=newest.status)
        entries = msgspec.json.decode(newest.body, type=_Entries, strict=False).value
        files = [(entry.number, line) for entry in entries for line in entry.lines]
        if not files:
            return ok("sin archivos todavía")
        number, line = files[0]
        name = quote(f"{line.name}.{line.extension}".replace("'", "''"))
        file = await self._context.read(f"/Attachments2({number})/$value?filename='{name}'", Accept="*/*")
        return ok() if file.good else FOLDER_UNREACHABLE.found(status=file.status)
