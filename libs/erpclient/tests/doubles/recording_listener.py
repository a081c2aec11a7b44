"""A listener that keeps what it was told."""

from attrs import define, field


@define
class RecordingListener:
    """Attributes: `heard` and `silent`, in the order in which they were told."""

    heard_of: list[str] = field(factory=list)

    def answered(self) -> None:
        self.heard_of.append("heard")

    def unanswered(self) -> None:
        self.heard_of.append("silent")
