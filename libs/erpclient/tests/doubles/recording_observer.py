"""An observer that keeps what it was told."""

from attrs import define, field


@define
class RecordingObserver:
    """Attributes: what happened, in order, without durations."""

    calls: list[tuple[str, str, str]] = field(factory=list)
    repeats: list[str] = field(factory=list)
    logins: list[str] = field(factory=list)
    waits: list[str] = field(factory=list)
    durations_s: list[float] = field(factory=list)

    def call_finished(self, *, method: str, resource: str, outcome: str, duration_s: float) -> None:
        self.calls.append((method, resource, outcome))
        self.durations_s.append(duration_s)

    def call_repeated(self, *, reason: str) -> None:
        self.repeats.append(reason)

    def login_finished(self, *, outcome: str, duration_s: float) -> None:
        self.logins.append(outcome)
        self.durations_s.append(duration_s)

    def wait_finished(self, *, outcome: str, duration_s: float) -> None:
        self.waits.append(outcome)
        self.durations_s.append(duration_s)
