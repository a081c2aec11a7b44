"""Checks of the gateway's store. They take no lock and change nothing."""

import os
import pwd
import shutil
import stat
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Final

from attrs import define, field
from typing_extensions import override

from erp_gateway.audit.chain_check import check_chain
from erp_gateway.audit.chain_rows import AuditChain
from erp_gateway.people.permissions.store import Permission, load_all
from erp_gateway.reports.crystal.registry import RegisteredReport
from erp_gateway.reports.crystal.store import ReportStore
from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.migrations import load_migrations
from erp_gateway.store.sqlite.connection import open_read_only
from erp_gateway.store.sqlite.engine import SqliteEngine
from erp_gateway.store.sqlite.examining import Blocker, exists, find_blocker, read_facts
from erp_gateway.store.sqlite.lock import find_holder
from erpdoctor.checks import Cause, Checks, Finding, Group, declares_check, fail, ok, skipped, warn
from servicekit.clock import Clock

STORE: Final = Group("store", "docs/doctor.md#store")
BACKUP_PAGE: Final = "docs/operate.md#backup"
CHAIN_S: Final = 30.0
"""Time limit of verifying the audit's chain."""

NOT_YET: Final = skipped(
    "store_not_made_yet",
    "Todavía no existe; el primer arranque lo crea.",
    english="The store does not exist yet. The first start creates it.",
)
NEWER: Final = fail(
    "store_newer",
    "El registro interno es de una versión posterior de este servicio.",
    english="A newer program wrote it.",
    remedy="Instale esa versión, o restaure una copia hecha antes de actualizar.",
    english_remedy="Install that version, or restore a backup made before the upgrade.",
    page=BACKUP_PAGE,
)
OLDER: Final = warn(
    "store_older",
    "El registro interno es de una versión anterior; el próximo arranque lo actualiza.",
    english="The next start upgrades it.",
    remedy="Haga una copia con `erp-gateway backup` y reinicie el servicio con esta versión.",
    english_remedy="Make a backup with `erp-gateway backup` and restart the service with this version.",
    page=BACKUP_PAGE,
)
CHAIN_BROKEN: Final = fail(
    "audit_chain_broken",
    "La auditoría no es como se escribió: faltan registros o fueron cambiados.",
    english="Records are missing or were changed. `audit verify` names them.",
    remedy="Ejecute `erp-gateway audit verify`, que nombra los registros, y avise a quien responde por ella.",
    english_remedy="Run `erp-gateway audit verify`, which names the records, and tell whoever is "
    "responsible for the audit.",
    page="docs/audit.md",
)
NOT_WRITABLE: Final = fail(
    "store_not_writable",
    "Este usuario del sistema no puede escribir en el registro interno o en su carpeta.",
    english="It can't. The terminal shows which of the two, its owner and mode, and the user of this "
    "run. Run the doctor as the service's user.",
    remedy="Haga que lo nombrado sea del usuario que corre el servicio (chown), o corrija SQLITE_PATH.",
    english_remedy="Give what is named to the user who runs the service (chown), or correct SQLITE_PATH.",
)
OTHER_FILE: Final = fail(
    "not_a_store",
    "El archivo de SQLITE_PATH no es un registro de este servicio.",
    english="It belongs to another program.",
    remedy="Corrija SQLITE_PATH: debe nombrar un archivo que solo use este servicio.",
    english_remedy="Correct SQLITE_PATH: it must name a file that only this service uses.",
)
DAMAGED: Final = fail(
    "store_damaged",
    "El registro interno está dañado.",
    english="SQLite can't read it.",
    remedy="Aparte el archivo, con los suyos que terminan en -wal y -shm, y restaure la última copia.",
    english_remedy="Move the file away, with those of its name that end in -wal and -shm, and "
    "restore the latest backup.",
    page=BACKUP_PAGE,
)
READABLE: Final = warn(
    "store_readable_by_others",
    "Otros usuarios del sistema pueden leer el registro interno.",
    english="Its mode lets others read it.",
    remedy="Quite esos permisos: chmod 600 sobre el archivo.",
    english_remedy="Remove these permissions: chmod 600 on the file.",
)
NO_SPACE: Final = fail(
    "disk_full",
    "Quedan menos de 50 MB en el disco del registro interno.",
    english="It is under 50 MB.",
    remedy="Libere espacio en ese disco ahora: sin él no se guardan permisos ni auditoría.",
    english_remedy="Free space on that disk now: without it neither permissions nor audit are stored.",
)
LITTLE_SPACE: Final = warn(
    "disk_nearly_full",
    "Queda menos de 1 GB en el disco del registro interno.",
    english="It is under 1 GB.",
    remedy="Libere espacio en ese disco, o mueva el registro a otro.",
    english_remedy="Free space on that disk, or move the store to another.",
)
NO_BACKUP: Final = warn(
    "no_backup",
    "En la carpeta de copias no hay ninguna copia del registro interno.",
    english="There is no copy in it.",
    remedy="Programe `erp-gateway backup` todos los días.",
    english_remedy="Schedule `erp-gateway backup` for every day.",
    page=BACKUP_PAGE,
)
OLD_BACKUP: Final = warn(
    "backup_old",
    "La última copia del registro interno tiene más de 7 días.",
    english="It is more than a week old.",
    remedy="Revise por qué no se ejecuta `erp-gateway backup` todos los días.",
    english_remedy="Check why `erp-gateway backup` does not run every day.",
    page=BACKUP_PAGE,
)
NO_FOLDER: Final = skipped(
    "not_asked",
    "No se indicó la carpeta de las copias.",
    english="No folder was given.",
    remedy="Repita con --backups CARPETA para saber de cuándo es la última copia.",
    english_remedy="Repeat with --backups FOLDER to learn how old the newest copy is.",
)
CHAIN_UNREADABLE: Final = fail(
    "audit_unreadable",
    "La auditoría no se puede leer.",
    english="It can't be read.",
    remedy="Aparte el archivo, con los suyos que terminan en -wal y -shm, y restaure la última copia.",
    english_remedy="Move the file away, with those of its name that end in -wal and -shm, and "
    "restore the latest backup.",
    page=BACKUP_PAGE,
)

_FAULTS: Final[Mapping[type[Exception], Cause]] = {StoreUnavailable: CHAIN_UNREADABLE}
_LEAST_BYTES: Final = 50 * 1024 * 1024
_FEW_BYTES: Final = 1024 * 1024 * 1024
_OLD_S: Final = 7 * 86_400
_OTHERS: Final = 0o077
_MAGIC: Final = b"SQLite format 3\0"


def judge_space(free: int) -> Finding:
    """Check the free disk space."""
    figures = {"free_mb": free // (1024 * 1024)}
    if free < _LEAST_BYTES:
        return NO_SPACE.found(**figures)
    return LITTLE_SPACE.found(**figures) if free < _FEW_BYTES else ok(**figures)


def describe_blocker(blocker: Blocker) -> str:
    """Describe in Spanish why this process can't use the store: owner, mode, and the process's own user."""
    facts = blocker.place.stat()
    owner, user = (f"{number} ({_called(number)})" for number in (facts.st_uid, os.geteuid()))
    return (
        f"{blocker.place} {blocker.obstacle.spanish}: dueño {owner}, grupo {facts.st_gid}, "
        f"modo {stat.S_IMODE(facts.st_mode):04o}; este proceso es el usuario {user}, grupo {os.getegid()}"
    )


def _called(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return "sin nombre"


def judge_version(version: int) -> Finding:
    """Compare a store's version with this program's."""
    newest = len(load_migrations())
    if version > newest:
        return NEWER.found(version=version, known=newest)
    if version < newest:
        return OLDER.found(version=version, known=newest)
    return ok(version=version)


class StoreChecks(Checks):
    """Base class of the checks of a store. One of them is `store.version`."""

    group = STORE

    def opened(self) -> AbstractAsyncContextManager[Database]:
        """Open the store read-only."""
        raise NotImplementedError

    async def permissions(self) -> Mapping[str, Permission]:
        """Return the stored permissions by web user.

        Raises:
            StoreUnavailable: it can't be read.
        """
        raise NotImplementedError

    async def reports(self) -> Sequence[RegisteredReport]:
        """Return all registered reports.

        Raises:
            StoreUnavailable: it can't be read.
        """
        async with self.opened() as database:
            return await ReportStore(database).all()

    async def walk_chain(self) -> Finding:
        """Verify the audit's chain.

        Raises:
            StoreUnavailable: the store can't be read.
        """
        async with self.opened() as database:
            check = await check_chain(AuditChain(database))
        if check.faults:
            return CHAIN_BROKEN.found(faults=len(check.faults), records=check.records)
        return ok(records=check.records)


@define(eq=False, repr=False)
class FileChecks(StoreChecks):
    """Check a store in a file.

    Args:
        path: the store.
        backups: folder with copies of the store; None if unknown.
        clock: time.
    """

    faults = _FAULTS

    _path: Path
    _backups: Path | None
    _clock: Clock
    _version: int = field(init=False, default=0)

    @override
    async def permissions(self) -> Mapping[str, Permission]:
        async with open_read_only(self._path) as store:
            return await store.run(load_all)

    @override
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Database]:
        async with open_read_only(self._path) as store:
            yield Database(SqliteEngine(store, store))

    @declares_check(
        "folder",
        "Carpeta y archivo",
        NOT_WRITABLE,
        english="This system user can write the file and its folder.",
    )
    async def _folder(self) -> Finding:
        blocker = find_blocker(self._path)
        return ok(str(self._path)) if blocker is None else NOT_WRITABLE.found(describe_blocker(blocker))

    @declares_check("lock", "Quién lo usa", english="Process that serves it now.")
    async def _lock(self) -> Finding:
        holder = find_holder(self._path)
        return ok("nadie", held=False) if holder is None else ok(holder, held=True)

    @declares_check(
        "file",
        "Contenido",
        NOT_YET,
        OTHER_FILE,
        DAMAGED,
        READABLE,
        needs=("folder",),
        english="The file is a store, intact, and readable by its owner only.",
    )
    async def _file(self) -> Finding:
        if not self._path.exists():
            return NOT_YET.found(str(self._path))
        facts = await read_facts(self._path)
        if facts is not None and facts.empty:
            return NOT_YET.found(str(self._path))
        if facts is not None and not facts.ours:
            return OTHER_FILE.found()
        if facts is None or not facts.sound:
            return DAMAGED.found()
        self._version = facts.version
        if self._path.stat().st_mode & _OTHERS:
            return READABLE.found()
        return ok(bytes=self._path.stat().st_size)

    @declares_check(
        "version", "Versión", NEWER, OLDER, needs=("file",), english="Its version is this program's."
    )
    async def _schema(self) -> Finding:
        return judge_version(self._version)

    @declares_check("space", "Espacio libre", NO_SPACE, LITTLE_SPACE, english="Free space on its disk.")
    async def _space(self) -> Finding:
        folder = next(each for each in self._path.absolute().parents if exists(each))
        return judge_space(shutil.disk_usage(folder).free)

    @declares_check(
        "backup",
        "Última copia",
        NO_FOLDER,
        NO_BACKUP,
        OLD_BACKUP,
        english="Newest copy in the folder of `--backups`.",
    )
    async def _backup(self) -> Finding:
        if self._backups is None:
            return NO_FOLDER.found()
        moments = [each.stat().st_mtime for each in _copies(self._backups)]
        if not moments:
            return NO_BACKUP.found(str(self._backups))
        age_s = self._clock.now().timestamp() - max(moments)
        figures = {"copies": len(moments), "age_hours": round(age_s / 3600)}
        return OLD_BACKUP.found(**figures) if age_s > _OLD_S else ok(**figures)

    @declares_check(
        "audit-chain",
        "Cadena de la auditoría",
        CHAIN_BROKEN,
        needs=("version",),
        limit_s=CHAIN_S,
        english="The [chain of the audit](docs/audit.md) is unbroken.",
    )
    async def _chain(self) -> Finding:
        return await self.walk_chain()


def _copies(folder: Path) -> list[Path]:
    """Return the files of a folder that begin as SQLite's do."""
    try:
        files = [each for each in folder.iterdir() if each.is_file()]
    except OSError:
        return []
    return [each for each in files if _begins_as_sqlite(each)]


def _begins_as_sqlite(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False
