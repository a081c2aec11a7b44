"""Settings of `erpsim serve`: command line over environment over file. Reports every problem at once."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from erpsim.company.switches import Switches
from erpsim.faults import Fault
from erpsim.faults.json_form import FaultFormError, fault_from_json
from erpsim.process.options import OPTIONS, SWITCH_TYPES, command_line, switch_reader
from erpsim.process.ports import Listening

PREFIX: Final = "ERPSIM_"


class SettingsError(Exception):
    """The settings can't be used.

    Args:
        problems: one sentence each.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@attrs.frozen(kw_only=True)
class ServeSettings:
    """Settings of a simulator process.

    Args:
        listening: addresses.
        certificate_file: where to write the certificate of `--tls`, so that clients can trust it.
        metadata: a `$metadata` export.
        store: file that keeps changes, None for memory.
        seed: a name of `erpsim.seeds.SCALES`.
        switches: see `Switches`.
        faults: initial faults.
    """

    listening: Listening
    switches: Switches
    certificate_file: Path | None = None
    metadata: Path | None = None
    store: Path | None = None
    seed: str = "full"
    faults: tuple[Fault, ...] = ()


def read_settings(arguments: Sequence[str], environ: Mapping[str, str]) -> ServeSettings:
    """Read the settings of `erpsim serve`.

    Args:
        arguments: after the word `serve`.
        environ: environment with `ERPSIM_...` variables.

    Raises:
        SettingsError: with all problems.
        SystemExit: for `--help`, and for an invalid command line.
    """
    parsed = command_line().parse_args(arguments)
    reader = _Reader()
    file_values, fault_values = reader.file(parsed.config or environ.get(f"{PREFIX}CONFIG"))
    switches_typed = reader.pairs(parsed.switch)
    values: dict[str, Any] = {}
    for option in OPTIONS:
        source: tuple[str, object] | None = None
        if option.name in file_values:
            source = (f"{option.name} in the file", file_values[option.name])
        if (name := PREFIX + option.name.upper()) in environ:
            source = (name, environ[name])
        if (typed := getattr(parsed, option.name)) is not None:
            source = (option.flag, typed)
        values[option.name] = option.default if source is None else reader.read(option.read, *source)
    reader.unknown(environ)
    switches = reader.switches(file_values.get("switches", {}), environ, switches_typed)
    faults = reader.faults(fault_values)
    if reader.problems:
        raise SettingsError(reader.problems)
    return ServeSettings(
        listening=Listening(
            host=values["host"],
            port=values["port"],
            control_port=values["control_port"],
            report_gateway_port=values["report_gateway_port"],
            tax_documents_port=values["tax_documents_port"],
            hana_port=values["hana_port"],
            public_host=values["public_host"],
            tls=values["tls"],
            certificate_folder=values["certificate_folder"],
            shutdown_s=values["shutdown"],
            keep_alive_s=values["keep_alive"],
        ),
        switches=attrs.evolve(switches, parallel_penalty_s=values["penalty"]),
        certificate_file=values["certificate_file"],
        metadata=values["metadata"],
        store=values["store"],
        seed=values["seed"],
        faults=faults,
    )


class _Reader:
    """Reads values and collects problems."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def read(self, read: Callable[[object], Any], name: str, value: object) -> Any:
        try:
            return read(value)
        except ValueError as error:
            self.problems.append(f"{name}: {value!r} is not {error}")
            return None

    def file(self, path: str | None) -> tuple[dict[str, Any], list[Any]]:
        """Return a settings file's values and its faults."""
        if path is None:
            return {}, []
        try:
            values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            self.problems.append(f"{path}: {error.strerror}")
            return {}, []
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            self.problems.append(f"{path}: no TOML ({error})")
            return {}, []
        faults = values.pop("faults", [])
        names = {option.name for option in OPTIONS} | {"switches"}
        self.problems += [f"{path}: {_unknown(name, names)}" for name in values if name not in names]
        if not isinstance(values.get("switches", {}), dict):
            self.problems.append(f"{path}: switches must be a table")
            values.pop("switches")
        return values, faults if isinstance(faults, list) else [faults]

    def pairs(self, texts: Sequence[str]) -> dict[str, str]:
        """Read `NAME=VALUE` arguments."""
        pairs = {}
        for text in texts:
            name, equals, value = text.partition("=")
            if not equals:
                self.problems.append(f"--switch: {text!r} is not NAME=VALUE")
            else:
                pairs[name] = value
        return pairs

    def unknown(self, environ: Mapping[str, str]) -> None:
        """Report unknown variables."""
        names = {PREFIX + option.name.upper() for option in OPTIONS} | {f"{PREFIX}CONFIG"}
        names |= {PREFIX + name.upper() for name in SWITCH_TYPES}
        self.problems += [
            _unknown(name, names) for name in sorted(environ) if name.startswith(PREFIX) and name not in names
        ]

    def switches(
        self,
        from_file: Mapping[str, Any],
        environ: Mapping[str, str],
        typed: Mapping[str, str],
    ) -> Switches:
        """Put the switches together."""
        sources: dict[str, tuple[str, object]] = {
            name: (f"switches.{name} in the file", value) for name, value in from_file.items()
        }
        for name in SWITCH_TYPES:
            if (variable := PREFIX + name.upper()) in environ:
                sources[name] = (variable, environ[variable])
        sources |= {name: (f"--switch {name}", value) for name, value in typed.items()}
        values = {}
        for name, (source, value) in sources.items():
            if name in SWITCH_TYPES:
                values[name] = self.read(switch_reader(name), source, value)
            else:
                self.problems.append(f"{source}: {_unknown(name, set(SWITCH_TYPES))}")
        return Switches() if self.problems else Switches(**values)

    def faults(self, values: Sequence[object]) -> tuple[Fault, ...]:
        """Read the faults of a settings file."""
        faults = []
        for number, value in enumerate(values, 1):
            try:
                faults.append(fault_from_json(value))
            except FaultFormError as error:
                self.problems.append(f"faults[{number}]: {error}")
        return tuple(faults)


def _unknown(name: str, names: set[str]) -> str:
    close = difflib.get_close_matches(name, names, 1)
    return f"{name} is no setting" + (f"; did you mean {close[0]}?" if close else "")
