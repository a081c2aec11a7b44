"""Loading of settings: the environment overrides the file, and all faults are reported at once."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from servicekit.config.declare import Declared, Group, all_settings, declarations
from servicekit.config.env_file import parse_env_file
from servicekit.config.problems import ConfigError, Problem

T = TypeVar("T")
CONFIG_FILE: Final = "CONFIG_FILE"
DEFAULT_CONFIG_FILE: Final = ".env"
_MAX_EXCERPT: Final = 100
_USERINFO: Final = re.compile(r"//[^/\s]*@")
_FAULTY: Final = object()


def load(cls: type[T], environ: Mapping[str, str], *, own_prefixes: Sequence[str] = ()) -> T:
    """Read the settings from the environment and from the file that `CONFIG_FILE` names (default `./.env`).

    A class may have a method `problems(self)` that yields a `Problem` for each broken rule between fields; it
    is called when all the class's own values are valid.

    Args:
        cls: the outermost settings class.
        environ: the process environment; it wins over the file. An empty value counts as unset.
        own_prefixes: unknown names that begin with one of these are faults in the environment too.

    Raises:
        ConfigError: with every fault found.
        TypeError: the classes themselves are wrong: a field without declaration, or a name declared twice.
    """
    declared = declared_names(cls)
    problems: list[Problem] = []
    from_file, file_name = _read_file(environ, problems)
    loader = _Loader(_together(from_file, environ, declared), problems)
    settings = loader.build(cls)
    problems += _unknown_names(declared, from_file, file_name)
    ours = [name for name in environ if name.startswith(tuple(own_prefixes))]
    problems += _unknown_names(declared, ours)
    if problems:
        raise ConfigError(problems)
    built: T = settings
    return built


def load_part(cls: type[T], environ: Mapping[str, str]) -> T | None:
    """Load one settings class although others have faults; None if it has faults itself.

    Args:
        cls: one of the classes.
        environ: the process environment; it names the configuration file, too.
    """
    from_file, _ = _read_file(environ, [])
    problems: list[Problem] = []
    built = _Loader(_together(from_file, environ, declared_names(cls)), problems).build(cls)
    return None if problems else built


def declared_names(cls: type[Any]) -> set[str]:
    """Return all names of the settings classes, including the `NAME_FILE` of secrets.

    Raises:
        TypeError: a name is declared twice.
    """
    names: set[str] = set()
    for _, declared in all_settings(cls):
        if declared.name in names:
            raise TypeError(f"{declared.name} is declared twice")
        names.add(declared.name)
        if declared.secret:
            names.add(f"{declared.name}_FILE")
    return names


def read_texts(cls: type[Any], environ: Mapping[str, str]) -> dict[str, str]:
    """Return the text of every set setting, ignoring faults of the file."""
    from_file, _ = _read_file(environ, [])
    declared = declared_names(cls)
    return {name: text for name, text in _together(from_file, environ, declared).items() if name in declared}


def read_file_values(environ: Mapping[str, str]) -> tuple[Path, dict[str, str]]:
    """Return the path of the configuration file, whether or not it exists, and its values."""
    values, _ = _read_file(environ, [])
    return Path(environ.get(CONFIG_FILE, "") or DEFAULT_CONFIG_FILE), values


def cut_values(cls: type[Any], environ: Mapping[str, str]) -> Iterator[Problem]:
    """Yield each setting whose value in the configuration file ends at a `#`, which may belong to the value.

    Args:
        cls: the outermost settings class.
        environ: the process environment; it names the file, and its values win over those of the file.
    """
    file = Path(environ.get(CONFIG_FILE, "") or DEFAULT_CONFIG_FILE)
    try:
        parsed = parse_env_file(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return
    declared = declared_names(cls)
    for name in parsed.cut:
        if name in declared and name not in environ:
            yield Problem(
                name,
                "its value ends before the #; quote it if that belongs to the value",
                "su valor termina antes del #; póngalo entre comillas si el # es parte del valor",
            )


def _together(from_file: dict[str, str], environ: Mapping[str, str], declared: set[str]) -> dict[str, str]:
    return from_file | {name: environ[name] for name in declared if name in environ}


def _unknown_names(
    declared: set[str], names: Sequence[str] | Mapping[str, str], file: str = ""
) -> Iterator[Problem]:
    where, where_spanish = (f" (in {file})", f" (en {file})") if file else ("", "")
    for name in sorted(set(names) - declared):
        if name == CONFIG_FILE:
            yield Problem(
                name, f"belongs in the environment{where}", f"va en las variables de entorno{where_spanish}"
            )
            continue
        close = difflib.get_close_matches(name.upper(), sorted(declared), n=1, cutoff=0.75)
        text = f"is no setting of this service{where}"
        spanish = f"no es un ajuste de este servicio{where_spanish}"
        if close:
            text, spanish = f"{text}; did you mean {close[0]}?", f"{spanish}; ¿quiso decir {close[0]}?"
        yield Problem(name, text, spanish)


def _unreadable(name: str, file: str, error: OSError | ValueError) -> Problem:
    if isinstance(error, OSError):
        reason = spanish = error.strerror or type(error).__name__
    elif isinstance(error, UnicodeDecodeError):
        reason, spanish = "it is not UTF-8 text", "no es texto UTF-8"
    else:
        reason, spanish = "there can't be such a path", "no puede existir una ruta así"
    return Problem(
        name, f"the file {file} can't be read: {reason}", f"el archivo {file} no se puede leer: {spanish}"
    )


def _read_file(environ: Mapping[str, str], problems: list[Problem]) -> tuple[dict[str, str], str]:
    declared = environ.get(CONFIG_FILE, "")
    file = Path(declared or DEFAULT_CONFIG_FILE)
    try:
        content = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        if declared:
            problems.append(
                Problem(
                    CONFIG_FILE,
                    f"the file {declared!r} does not exist",
                    f"el archivo {declared!r} no existe",
                )
            )
        return {}, declared
    except (OSError, ValueError) as error:
        problems.append(_unreadable(CONFIG_FILE, repr(str(file)), error))
        return {}, declared
    parsed = parse_env_file(content)
    problems += [
        Problem(str(file), f"line {each.line}: {each.reason}", f"línea {each.line}: {each.spanish}")
        for each in parsed.faults
    ]
    return parsed.values, str(file)


class _Loader:
    """Builds settings classes from texts and collects faults in `problems`."""

    def __init__(self, texts: Mapping[str, str], problems: list[Problem]) -> None:
        self._texts = texts
        self._problems = problems

    def build(self, cls: type[Any], *, switched_off: bool = False) -> Any:
        """Return an instance, `_FAULTY` when a value is wrong, or None for a group that is switched off."""
        values = {
            name: self._group(declared, switched_off=switched_off)
            if isinstance(declared, Group)
            else self._setting(declared, switched_off=switched_off)
            for name, declared in declarations(cls)
        }
        if switched_off:
            return None
        if _FAULTY in values.values():
            return _FAULTY
        instance = cls(**values)
        if hasattr(cls, "problems"):
            self._problems.extend(instance.problems())
        return instance

    def _group(self, declared: Group, *, switched_off: bool) -> Any:
        missing = declared.when is not None and not self._texts.get(declared.when, "").strip()
        return self.build(declared.cls, switched_off=switched_off or missing)

    def _setting(self, declared: Declared, *, switched_off: bool) -> Any:
        before = len(self._problems)
        text = self._secret_text(declared) if declared.secret else self._texts.get(declared.name, "").strip()
        if len(self._problems) > before:
            return _FAULTY
        if not _is_writable(text):
            self._fault(declared.name, "is not UTF-8 text", "no es texto UTF-8")
            return _FAULTY
        if text:
            try:
                return declared.parser.read(text)
            except ValueError:
                self._fault(
                    declared.name,
                    f"{_excerpt(text)} is not allowed; allowed: {declared.parser.allowed}",
                    f"{_excerpt(text)} no se admite; se admite: {declared.parser.spanish}",
                )
                return _FAULTY
        if declared.required and not switched_off:
            self._fault(declared.name, *_required(declared))
            return _FAULTY
        return declared.default

    def _secret_text(self, declared: Declared) -> str:
        text, file_setting = self._texts.get(declared.name, ""), f"{declared.name}_FILE"
        file = self._texts.get(file_setting, "")
        if not file:
            return text
        if text:
            self._fault(
                declared.name,
                f"is set twice, here and by {file_setting}; allowed: one of the two",
                f"está dos veces, aquí y en {file_setting}; se admite: uno de los dos",
            )
            return ""
        try:
            content = Path(file).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            self._problems.append(_unreadable(file_setting, _excerpt(file), error))
            return ""
        content = content.removesuffix("\n").removesuffix("\r")
        if not content:
            self._fault(
                file_setting,
                f"the file {_excerpt(file)} is empty",
                f"el archivo {_excerpt(file)} está vacío",
            )
        return content

    def _fault(self, name: str, text: str, spanish: str) -> None:
        self._problems.append(Problem(name, text, spanish))


def _required(declared: Declared) -> tuple[str, str]:
    text, spanish = "is required", "es obligatorio"
    if declared.secret:
        text = f"{text}, here or in the file that {declared.name}_FILE names"
        spanish = f"{spanish}, aquí o en el archivo que nombra {declared.name}_FILE"
    parser = declared.parser
    return f"{text}; allowed: {parser.allowed}", f"{spanish}; se admite: {parser.spanish}"


def _is_writable(text: str) -> bool:
    """Return whether a text can be sent and logged; environment bytes in another encoding cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _excerpt(text: str) -> str:
    text = _USERINFO.sub("//***@", text)
    return repr(text if len(text) <= _MAX_EXCERPT else text[:_MAX_EXCERPT] + "…")
