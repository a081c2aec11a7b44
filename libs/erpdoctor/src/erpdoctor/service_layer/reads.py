"""Rights of the service account, and Service Layer behaviour that the service relies on."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

from attrs import define, field

from erpclient import ErpTimeout
from erpclient.errors import ErpError
from erpdoctor.checks import STEP_LIMIT_S, Checks, Finding, Group, declares_check, fail, ok, skipped, warn
from erpdoctor.inspection.answers import ReadTrouble, read_trouble, tag_of
from erpdoctor.service_layer.context import CheckContext
from erpdoctor.service_layer.faults import FAULTS
from erpdoctor.service_layer.shape import ExpectedSet
from servicekit.clock import Clock

FORBIDDEN: Final = fail(
    "resources_forbidden",
    "El usuario del ERP no tiene permiso para leer recursos registrados.",
    english="The user lacks the right to read some.",
    remedy="Dé al usuario de ERP_SL_USER autorización en el ERP sobre esos objetos: completa donde se "
    "crea o cambia desde aquí, de solo lectura en los demás.",
    english_remedy="Authorise the user of ERP_SL_USER in the ERP for these objects: full where this "
    "service creates or changes, read-only for the others.",
    page="docs/resources.md",
)
FAILING: Final = fail(
    "resources_failing",
    "El Service Layer no responde bien a la lectura de recursos registrados.",
    english="The ERP refuses some for another reason.",
    remedy="Pruebe esas lecturas en el ERP, y reinicie el Service Layer si fallan allí también.",
    english_remedy="Try these reads in the ERP, and restart the Service Layer if they fail there too.",
)
SILENT: Final = fail(
    "resources_without_answer",
    "El Service Layer dejó de responder mientras se leían los recursos.",
    english="Two gave no response in time. The others were not read.",
    remedy="Revise la carga del servidor del ERP y reinicie el Service Layer si no responde.",
    english_remedy="Check the load of the ERP's server, and restart the Service Layer if it does not answer.",
)
NO_TAGS: Final = warn(
    "tags_absent",
    "El ERP no da etiquetas donde se esperan: los cambios simultáneos no se detectan.",
    english="They don't.",
    remedy="Actualice el ERP a FP 2102 o posterior, o revise si un intermediario cambia sus respuestas.",
    english_remedy="Upgrade the ERP to FP 2102 or newer, or check whether a proxy changes its responses.",
    page="docs/resources.md",
)
SELECTION_TAGS_WRONG: Final = fail(
    "selection_tags_wrong",
    "El ERP da etiquetas equivocadas a lo leído con $select: después no se puede cambiar.",
    english="Orders of different versions share a tag. Clients that read so and then write are always "
    "refused as stale.",
    remedy="Lea los registros enteros, sin $select, antes de cambiarlos, y actualice el Service Layer.",
    english_remedy="Read whole records, without $select, before you change them, and upgrade the "
    "Service Layer.",
    page="docs/resources.md",
)
NOTHING_TAGGED: Final = skipped(
    "nothing_tagged",
    "Ningún pedido que se haya leído tiene etiqueta.",
    english="There is no order, or none with a tag.",
)
PROBE_FORBIDDEN: Final = skipped(
    "probe_forbidden",
    "El usuario del ERP no tiene permiso para leer el recurso con que esto se prueba (resource).",
    english="Not tried: the user lacks the right to read the resource that this check uses (`Items`; "
    "`Warehouses` for `service-layer.parallel`). See `service-layer.resources`.",
    remedy="Dé al usuario de ERP_SL_USER solo lectura de ese recurso, que service-layer.resources nombra.",
    english_remedy="Give the user of ERP_SL_USER read access to that resource, which "
    "service-layer.resources names.",
    page="docs/resources.md",
)
PAGE_SIZE_IGNORED: Final = fail(
    "page_size_ignored",
    "El Service Layer no recibe o no respeta B1S-PageSize: las listas vendrán cortadas.",
    english="The header has no effect: a proxy removes it.",
    remedy="Configure el intermediario (proxy) para que deje pasar las cabeceras B1S-*.",
    english_remedy="Let the proxy pass the headers B1S-*.",
)
CASE_IGNORED: Final = warn(
    "case_header_ignored",
    "El Service Layer no recibe o no respeta B1S-CaseInsensitive: los filtros distinguen mayúsculas.",
    english="The header has no effect.",
    remedy="Configure el intermediario (proxy) para que deje pasar las cabeceras B1S-*.",
    english_remedy="Let the proxy pass the headers B1S-*.",
)
SERVICE_RUNNING: Final = skipped(
    "service_running",
    "El servicio está en marcha: su gente esperaría detrás de varias llamadas a la vez.",
    english="Not measured: the service is running (with `STORE_URL`: may be), and its users would "
    "wait behind several calls. `--measure-parallel` measures anyway.",
    remedy="Para medirlo, detenga el servicio o use --measure-parallel.",
    english_remedy="To measure it, stop the service or use --measure-parallel.",
)
PARALLEL_UNMEASURED: Final = warn(
    "parallel_calls_unmeasured",
    "Hay más de 2 llamadas simultáneas configuradas, que suelen costar segundos, y no se midieron.",
    english="The same, and more than 2 are configured. No measurement has ever suggested that.",
    remedy="Ponga ERP_SL_MAX_CONCURRENCY=1, o repita con --measure-parallel y ponga lo que recomiende.",
    english_remedy="Set ERP_SL_MAX_CONCURRENCY=1, or repeat with --measure-parallel and set what it "
    "suggests.",
    page="docs/configuration.md",
)
PARALLEL_DEAR: Final = warn(
    "parallel_calls_dear",
    "Las llamadas simultáneas se estorban: cada una de más cuesta segundos.",
    english="More than a second each, and more than one at a time is configured.",
    remedy="Configure ERP_SL_MAX_CONCURRENCY con el valor recomendado (suggested).",
    english_remedy="Set ERP_SL_MAX_CONCURRENCY to the suggested value.",
    page="docs/configuration.md",
)

DEAR_S: Final = 1.0
# Maximum suggested concurrency: more calls disturbed each other wherever it was measured.
_MOST_SUGGESTED: Final = 2
_AT_ONCE: Final = 3
# Sign of serialised calls: a call that finds its session busy took 7 s longer in measurements.
_AT_ONCE_S: Final = 25.0
_CHEAP: Final = "/Warehouses?$select=WarehouseCode&$top=1"
_OFTEN_CHANGED: Final = "Orders"
_DATA_VERSION: Final = "DataVersion"
_TAGS_READ: Final = 20
_FIRST_VERSION: Final = 1
# That of every record's first version, as tested on a Service Layer 1000340.
_FIRST_TAG: Final = 'W/"356A192B7913B04C54574D18C28D46E6395428AB"'
_MOST_SILENCES: Final = 2
_RESOURCES_S: Final = 120.0


@define(eq=False, repr=False)
class ReadChecks(Checks):
    """Read a few rows of everything that the service reads.

    Args:
        context: of the run.
        group: to which the checks belong.
        expected: the entity sets.
        max_concurrency: concurrency of the service.
        measures: whether concurrent calls may be sent, because no user waits behind them.
        clock: time.
    """

    faults = FAULTS

    _context: CheckContext
    group: Group
    _expected: Sequence[ExpectedSet]
    _max_concurrency: int = field(kw_only=True)
    _measures: bool = field(kw_only=True)
    _clock: Clock = field(kw_only=True)
    _troubles: dict[str, ReadTrouble] = field(init=False, factory=dict)
    _tagged: dict[str, bool] = field(init=False, factory=dict)

    @declares_check(
        "resources",
        "Lectura de cada recurso registrado",
        FORBIDDEN,
        FAILING,
        SILENT,
        needs=("metadata",),
        limit_s=_RESOURCES_S,
        english="One record of each resource can be read (only its key).",
    )
    async def _resources(self) -> Finding:
        silences = 0
        for expected in self._expected:
            facts = self._context.sets.get(expected.name)
            if not expected.read or facts is None or not expected.fits(facts):
                continue  # missing sets and other keys are already reported
            try:
                await self._read(expected)
            except ErpTimeout:
                silences += 1
                self._troubles[expected.name] = ReadTrouble.GATEWAY
                if silences == _MOST_SILENCES:
                    return SILENT.found()
            except ErpError:
                self._troubles[expected.name] = ReadTrouble.GATEWAY
        return self._judge_resources()

    async def _read(self, expected: ExpectedSet) -> None:
        answer = await self._context.read(f"/{expected.name}?$select={','.join(expected.key_types)}&$top=1")
        trouble = read_trouble(answer)
        if trouble is not None:
            self._troubles[expected.name] = trouble
            return
        for row in answer.rows():
            self._tagged[expected.name] = tag_of(row) is not None

    def _judge_resources(self) -> Finding:
        troubles = self._troubles
        forbidden = tuple(name for name, each in troubles.items() if each is ReadTrouble.FORBIDDEN)
        failing = tuple(name for name, each in troubles.items() if each is not ReadTrouble.FORBIDDEN)
        if forbidden:
            return FORBIDDEN.found(resources=forbidden, failing=failing)
        if failing:
            return FAILING.found(resources=failing)
        return ok(read=len(self._expected))

    @declares_check(
        "tags",
        "Etiquetas de los registros",
        NO_TAGS,
        needs=("resources",),
        english="Tagged resources return entity tags.",
    )
    async def _tags(self) -> Finding:
        tagged = [each.name for each in self._expected if each.tagged]
        without = tuple(name for name in tagged if self._tagged.get(name) is False)
        return NO_TAGS.found(resources=without) if without else ok()

    @declares_check(
        "selection-tags",
        "Etiquetas de lo leído con $select",
        SELECTION_TAGS_WRONG,
        NOTHING_TAGGED,
        needs=("tags",),
        english="A selection with `DataVersion` returns the record's own tag, in the newest 20 orders.",
    )
    async def _selection_tags(self) -> Finding:
        """Check that a selection with `DataVersion` carries the tag of that version."""
        # Without it, a reply always has the tag of the first version, which this service expects. With it,
        # different versions must have different tags.
        if not self._tagged.get(_OFTEN_CHANGED):
            return NOTHING_TAGGED.found()
        path = (
            f"/{_OFTEN_CHANGED}?$select=DocEntry,{_DATA_VERSION}&$orderby=DocEntry%20desc&$top={_TAGS_READ}"
        )
        rows = (await self._context.read(path, B1S_PageSize=str(_TAGS_READ))).rows()
        versions: dict[str, set[object]] = {_FIRST_TAG: {_FIRST_VERSION}}
        for row in rows:
            versions.setdefault(str(tag_of(row)), set()).add(row.get(_DATA_VERSION))
        changed = sum(row.get(_DATA_VERSION) != _FIRST_VERSION for row in rows)
        if any(len(each) > 1 for each in versions.values()):
            return SELECTION_TAGS_WRONG.found(changed=changed, read=len(rows))
        return ok("" if changed else "ningún pedido cambiado con el que comparar", changed=changed)

    @declares_check(
        "page-size",
        "Tamaño de las páginas",
        PAGE_SIZE_IGNORED,
        PROBE_FORBIDDEN,
        needs=("login",),
        english="`B1S-PageSize` takes effect.",
    )
    async def _page_size(self) -> Finding:
        answer = await self._context.read("/Items?$select=ItemCode", B1S_PageSize="2")
        if read_trouble(answer) is ReadTrouble.FORBIDDEN:
            return PROBE_FORBIDDEN.found(resource="Items")
        rows = answer.rows()
        if len(rows) > 2:  # noqa: PLR2004 - the requested number
            return PAGE_SIZE_IGNORED.found(rows=len(rows))
        return ok()

    @declares_check(
        "letter-case",
        "Filtros sin distinguir mayúsculas",
        CASE_IGNORED,
        needs=("page-size",),
        limit_s=2 * STEP_LIMIT_S,
        english="`B1S-CaseInsensitive` takes effect.",
    )
    async def _letter_case(self) -> Finding:
        rows = (await self._context.read("/Items?$select=ItemCode&$top=20", B1S_PageSize="20")).rows()
        code = next((str(row["ItemCode"]) for row in rows if _has_letters(row)), None)
        if code is None:
            return ok("ningún artículo con letras en su código")
        literal = quote(code.swapcase().replace("'", "''"))
        answer = await self._context.read(
            f"/Items?$select=ItemCode&$filter=ItemCode%20eq%20'{literal}'&$top=1", B1S_CaseInsensitive="true"
        )
        return ok() if answer.rows() else CASE_IGNORED.found()

    @declares_check(
        "parallel",
        "Llamadas simultáneas",
        PARALLEL_DEAR,
        PARALLEL_UNMEASURED,
        SERVICE_RUNNING,
        PROBE_FORBIDDEN,
        needs=("login",),
        limit_s=_AT_ONCE * STEP_LIMIT_S + _AT_ONCE_S,
        english="Cost of concurrent calls, measured with three cheap ones. `suggested` is the "
        "`ERP_SL_MAX_CONCURRENCY` that follows.",
    )
    async def _parallel(self) -> Finding:
        configured = self._max_concurrency
        if not self._measures:
            cause = PARALLEL_UNMEASURED if configured > _MOST_SUGGESTED else SERVICE_RUNNING
            return cause.found(configured=configured)
        single = [await self._context.read(_CHEAP) for _ in range(_AT_ONCE)]
        # The duration of a refusal says nothing about reads.
        if read_trouble(single[0]) is ReadTrouble.FORBIDDEN:
            return PROBE_FORBIDDEN.found(resource="Warehouses")
        started = self._clock.monotonic()
        await asyncio.gather(
            *(self._context.inspection.read(_CHEAP, timeout_s=_AT_ONCE_S) for _ in range(_AT_ONCE))
        )
        together_s = self._clock.monotonic() - started
        extra_s = max(0.0, (together_s - sum(each.duration_s for each in single)) / (_AT_ONCE - 1))
        suggested = 1 if extra_s > DEAR_S else _MOST_SUGGESTED
        judged = PARALLEL_DEAR.found if configured > 1 and extra_s > DEAR_S else ok
        return judged(extra_s=extra_s, suggested=suggested, configured=configured)


def _has_letters(row: dict[str, Any]) -> bool:
    code = str(row.get("ItemCode") or "")
    return code.isascii() and code.swapcase() != code
