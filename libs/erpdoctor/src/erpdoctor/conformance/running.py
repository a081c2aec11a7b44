"""A whole run of questions: one session, each question, and what was made for them taken back."""

from collections.abc import Callable, Sequence

from attrs import frozen

from erpclient.settings import Credentials, ErpSettings
from erpdoctor.conformance.asking import Finding, ask_all
from erpdoctor.conformance.ground import Ground
from erpdoctor.conformance.line import Line
from erpdoctor.conformance.question import Question


@frozen(kw_only=True)
class Run:
    """What came of it.

    Attributes:
        findings: of each question, in their order.
        stays: what was created and could not be taken back, a sentence each.
        calls: how many requests were sent.
    """

    findings: tuple[Finding, ...]
    stays: tuple[str, ...]
    calls: int


async def run_questions(
    settings: ErpSettings,
    credentials: Credentials,
    questions: Sequence[Question],
    *,
    writes: bool,
    told: Callable[[str], object],
) -> Run:
    """Ask them all in one session; documents that were made are cancelled, however the run ends.

    Args:
        settings: where the Service Layer is.
        credentials: who asks.
        questions: what to ask, in their order.
        writes: whether questions are asked that change something.
        told: told each question that was asked; and where the run breaks off, what stays in the ERP.

    Raises:
        ErpError: the login fails.
    """
    findings: list[Finding] = []
    async with Line(settings, credentials) as line:
        ground = Ground(line)
        try:
            async for finding in ask_all(questions, ground, writes=writes):
                findings.append(finding)
                told(f"[{len(findings)}/{len(questions)}] {finding.question.name}")
        except BaseException:
            for sentence in await ground.tidy():
                told(sentence)
            raise
        stays = tuple(await ground.tidy())
        return Run(findings=tuple(findings), stays=stays, calls=line.calls)
