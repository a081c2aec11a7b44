"""Settings from the environment and one file: declared once, all problems reported at once, secrets masked.

```python
@attrs.frozen(kw_only=True)
class Web:
    port: int = setting("PORT", help="Port to listen on.", parse=integer(1, 65535), default=3000)
    password: Secret = setting("SOME_PASSWORD", help="…", secret=True)

    def problems(self) -> Iterator[Problem]:      # rules between fields, optional
        ...

    def warnings(self) -> Iterator[Problem]:      # allowed but unsafe values, optional
        ...

@attrs.frozen(kw_only=True)
class Settings:
    web: Web = group(Web)
    reports: Reports | None = group(Reports, when="REPORTS_URL")   # None unless REPORTS_URL has a value

settings = load(Settings, os.environ, own_prefixes=("REPORTS_",))
```
"""

from servicekit.config.declare import documentation, effective, group, secrets_of, setting
from servicekit.config.load import load
from servicekit.config.parsers import (
    Parser,
    boolean,
    choice,
    csv,
    http_url,
    integer,
    networks,
    path,
    seconds,
    text,
    timezone,
)
from servicekit.config.plausibility import (
    authority_problems,
    half_configured,
    is_readable,
    open_secrets,
    plain_http,
    similar_names,
)
from servicekit.config.problems import ConfigError, Problem
from servicekit.config.secret import Secret
from servicekit.config.terminal import SettingsTerminal
from servicekit.config.warnings import find_warnings, log_warnings

__all__ = [
    "ConfigError",
    "Parser",
    "Problem",
    "Secret",
    "SettingsTerminal",
    "authority_problems",
    "boolean",
    "choice",
    "csv",
    "documentation",
    "effective",
    "find_warnings",
    "group",
    "half_configured",
    "http_url",
    "integer",
    "is_readable",
    "load",
    "log_warnings",
    "networks",
    "open_secrets",
    "path",
    "plain_http",
    "seconds",
    "secrets_of",
    "setting",
    "similar_names",
    "text",
    "timezone",
]
