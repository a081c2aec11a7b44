"""The tour itself: runs the steps in order, tells what each shows, and says which held."""

import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from stack.exchange import Answer

from demo.client import Client

ADMINISTRATOR = "ana"
CLERK = "luis"
PASSWORDS = {ADMINISTRATOR: "ana-demo", CLERK: "luis-demo"}
"""Web users of the simulated company that the tour uses, and their passwords."""


class StepFailedError(Exception):
    """A step did not show what it had to; the text says why."""


class Step(Protocol):
    """One step of the tour."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a module's constant is meant, or an attribute like it
        """What its line of the summary calls it."""
        ...

    @property
    def TITLE(self) -> str:  # noqa: N802 - likewise
        """What it shows, in a sentence."""
        ...

    def run(self, tour: "Tour") -> None:
        """Show it.

        Raises:
            StepFailedError: it did not show.
        """
        ...


@dataclass
class Tour:
    """What the steps share: the client, and what earlier steps found out.

    A step reads what it needs with `need`, so that one that comes too early fails with a clear text.

    Attributes:
        client: talks to the origin.
        returns: talks to the origin that supplier-returns has of its own.
        folder: where documents are left for people; made when the first one comes.
        is_live: whether the ERP's database is the Service Layer's own, not a copy of its start.
        lose_answer: lets the ERP do the next call of a method and path, and loses its answer.
    """

    client: Client
    returns: Client
    folder: Path
    lose_answer: Callable[[str, str], None]
    is_live: bool = True
    _known: dict[str, Any] = field(default_factory=dict)

    def keep(self, name: str, value: object) -> None:
        """Keep a value for later steps."""
        self._known[name] = value

    def leave(self, name: str, content: bytes) -> None:
        """Leave a document where a person can open it, and say where."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / name
        path.write_bytes(content)
        print(f"   = {path}")

    def need(self, name: str) -> Any:
        """Return what an earlier step kept.

        Raises:
            StepFailedError: no step did.
        """
        if name not in self._known:
            raise StepFailedError(f"an earlier step should have found out: {name}")
        return self._known[name]

    def order(self, comments: str) -> dict[str, Any]:
        """Return a sales order as the clerk's page sends it."""
        return {
            "CardCode": self.need("customer"),
            "DocDueDate": "2030-12-31",
            "Comments": comments,
            "DocumentLines": [{"ItemCode": self.need("items")[0], "Quantity": 2, "UnitPrice": 1250.50}],
        }

    def token(self, web_user: str) -> str:
        """Return the bearer token of a user who logged in."""
        token: str = self.need(f"token of {web_user}")
        return token

    def expect(self, answer: Answer, status: int, *, code: str | None = None) -> None:
        """Hold the answer to a status and, for a refusal, to the word for programs in its body.

        Raises:
            StepFailedError: it is another.
        """
        if answer.status != status:
            raise StepFailedError(f"expected {status}, got {answer.status} {answer.code or ''}".rstrip())
        if code is not None and answer.code != code:
            raise StepFailedError(f"expected code {code}, got {answer.code}")

    def demand(self, *, holds: bool, what: str) -> None:
        """Fail with the text unless it holds.

        Raises:
            StepFailedError: it does not.
        """
        if not holds:
            raise StepFailedError(what)


def run_steps(steps: Sequence[Step], tour: Tour, *, narrated: bool) -> list[str]:
    """Run every step, also after a failure; print `ok NAME` or `FAIL NAME: why`, at the end the failed ones.

    Args:
        steps: what is run, in this order.
        tour: what the steps share.
        narrated: whether requests and answers are printed too; else they are of steps that fail.

    Returns:
        The failed ones, each as `NAME: why`.
    """
    failed = []
    for number, step in enumerate(steps, 1):
        told = io.StringIO()
        if narrated:
            print(f"\n{number}. {step.TITLE}")
        try:
            with contextlib.nullcontext() if narrated else contextlib.redirect_stdout(told):
                step.run(tour)
        except (StepFailedError, OSError, KeyError, IndexError, TypeError, ValueError) as error:
            why = str(error) if isinstance(error, StepFailedError) else f"{type(error).__name__}: {error}"
            failed.append(f"{step.NAME}: {why}")
            print(f"{told.getvalue()}FAIL {failed[-1]}", flush=True)
        else:
            print(f"ok {step.NAME}" if narrated else f"ok {step.NAME:<18} {step.TITLE}", flush=True)
    print(f"\n{len(steps) - len(failed)} of {len(steps)} steps held.")
    print("".join(f"FAIL {each}\n" for each in failed), end="", flush=True)
    return failed
