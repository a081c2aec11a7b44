"""Executes a `$batch` in order: change sets are atomic, and the first failure stops it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from urllib.parse import unquote, urlsplit

import attrs

from erpsim.business.approvals import HeldForApprovalError
from erpsim.company.errors import NotSimulatedError, SlError
from erpsim.company.habits import OtherHabit
from erpsim.company.notification import TransactionRefusedError
from erpsim.service_layer.alternatives import alternative_body, error_wire
from erpsim.service_layer.batch.text import (
    BatchIds,
    BatchReply,
    BatchRequest,
    ChangeSet,
    parse_batch,
    write_batch,
)
from erpsim.service_layer.preferences import CONTINUE_ON_ERROR, check_options, preferences
from erpsim.service_layer.refusals import content_id_missing, transaction_failed
from erpsim.service_layer.resources import Resources
from erpsim.service_layer.wire.json_text import render
from erpsim.service_layer.wire.messages import SlReply, SlRequest
from erpsim.world import World

_FIRST_ERROR_STATUS = 400


class Batches:
    """Answers `POST $batch`.

    Args:
        world: the company; its transaction makes a change set atomic.
        resources: handles each request of a batch.
        new_guid: makes the GUIDs of boundaries.
    """

    def __init__(
        self, world: World, resources: Resources, new_guid: Callable[[], str] = lambda: str(uuid.uuid4())
    ) -> None:
        self._world = world
        self._resources = resources
        self._new_guid = new_guid

    def answer(self, request: SlRequest, user: str, language: int | None = None) -> SlReply:
        """Execute a batch.

        The status is 202 in v1 and 200 in v2 once the envelope is valid, even if everything in it failed. The
        first failure stops the batch, and later requests get no response (SAP manual 1.22, 3.10.6), unless
        the client prefers otherwise (notes on 1000310).

        Raises:
            SlError: 400 for a broken envelope, before anything runs.
            WorkerDiedError: the customer's own rules refuse a change set and `notification_breaks_batch` is
                set; or its last operation fails with `OtherHabit.LAST_FAILURE_KILLS`.
        """
        if request.method != "POST":
            raise NotSimulatedError(f"{request.method} for `$batch`")
        check_options(request)
        parts = parse_batch(request.body, request.header("content-type"))
        _check_content_ids(parts, request)
        run = _Run(self._world, self._resources, request, user, language)
        goes_on = CONTINUE_ON_ERROR in preferences(request)
        answers: list[BatchReply | list[BatchReply]] = []
        for part in parts:
            answer = run.change_set(part) if isinstance(part, ChangeSet) else run.single(part)
            answers.append(answer)
            if isinstance(answer, BatchReply) and answer.reply.status >= _FIRST_ERROR_STATUS and not goes_on:
                break
        ids = BatchIds(self._new_guid)
        headers = (("Content-Type", f"multipart/mixed;boundary={ids.batch}"), request.wire.version)
        return SlReply(
            status=request.wire.batch_status, headers=headers, body=write_batch(answers, request.wire, ids)
        )


class WorkerDiedError(Exception):
    """The node died without a response, so the balancer responds. No work was done."""


class _ChangeSetFailedError(Exception):
    """Carries the one answer of a failed change set out of its transaction."""

    def __init__(self, answer: BatchReply) -> None:
        super().__init__()
        self.answer = answer


@attrs.frozen
class _Run:
    """The run of one batch."""

    world: World
    resources: Resources
    outer: SlRequest
    user: str
    language: int | None

    def single(self, part: BatchRequest) -> BatchReply:
        """Execute a request outside change sets."""
        try:
            reply = self.resources.answer(self._request(part, {}), self.user)
        except SlError as error:
            reply = self._refusal(error)
        return self._part(reply, part.content_id)

    def change_set(self, change_set: ChangeSet) -> BatchReply | list[BatchReply]:
        """Execute a change set: one response per request, or a single one if any request failed.

        The single one is directly in the batch and carries, in v2, the `Content-ID` of the failed request (a
        captured v2 answer; SAP manual 1.22, 3.10.6 for v1, without it).
        """
        if self.world.switches.has(OtherHabit.BATCHES_KEEP):
            return self._one_by_one(change_set)
        try:
            with self.world.transaction():
                return self._requests(change_set)
        except _ChangeSetFailedError as failure:
            held = failure.__cause__
            if isinstance(held, HeldForApprovalError) and self.world.switches.has(OtherHabit.DRAFTS_STAY):
                self.world.keep_draft(held)
            return failure.answer

    def _one_by_one(self, change_set: ChangeSet) -> BatchReply | list[BatchReply]:
        try:
            return self._requests(change_set)
        except _ChangeSetFailedError as failure:
            return failure.answer

    def _requests(self, change_set: ChangeSet) -> list[BatchReply]:
        aliases: dict[str, str] = {}
        answers = []
        content_ids: set[str] = set()
        for part in change_set.requests:
            failed_id = part.content_id if self.outer.wire.content_id_in_part_header else None
            try:
                if part.content_id is not None and part.content_id in content_ids:
                    # Seen once by a user of B1SLayer who repeated "1".
                    raise transaction_failed()
                reply = self.resources.answer(self._request(part, aliases), self.user)
            except SlError as error:
                breaks = self.world.switches.notification_breaks_batch
                if breaks and isinstance(error, TransactionRefusedError):
                    raise WorkerDiedError from error
                if part is change_set.requests[-1] and self._last_failure_kills():
                    raise WorkerDiedError from error
                raise _ChangeSetFailedError(self._part(self._refusal(error), failed_id)) from error
            if part.content_id is not None:
                content_ids.add(part.content_id)
                self._remember(aliases, part.content_id, reply)
            answers.append(self._part(reply, part.content_id))
        return answers

    def _last_failure_kills(self) -> bool:
        kills = self.world.switches.has(OtherHabit.LAST_FAILURE_KILLS)
        return kills and CONTINUE_ON_ERROR in preferences(self.outer)

    def _remember(self, aliases: dict[str, str], content_id: str, reply: SlReply) -> None:
        location = dict(reply.headers).get("Location")
        if location is not None:
            aliases[f"${content_id}"] = urlsplit(location).path.removeprefix(f"{self.outer.wire.root}/")

    def _request(self, part: BatchRequest, aliases: Mapping[str, str]) -> SlRequest:
        path, _, query = self._below_root(part.target).partition("?")
        first, slash, rest = path.partition("/")
        path = aliases.get(first, first) + slash + rest
        if unquote(path) in {"$batch", "Login", "Logout"}:
            raise NotSimulatedError(f"`{path}` inside a batch")
        return SlRequest(
            method=part.method,
            path=path,
            query=query,
            headers=part.headers,
            body=part.body,
            wire=self.outer.wire,
            origin=self.outer.origin,
            # An `If-Match` inside is ignored; the one of the whole batch counts (live test on 1000340).
            if_match=part.headers.get("if-match", self.outer.if_match)
            if self.world.switches.has(OtherHabit.INNER_TAGS_COUNT)
            else self.outer.if_match,
        )

    def _below_root(self, target: str) -> str:
        """Return the part of a request line's address below the service root."""
        # Rooted, relative and absolute forms work (SAP manual 1.29; logs of a SAP library; SAP's Cloud SDK),
        # and so does one slash before the set (code of clients).
        target = target.removeprefix(self.outer.origin)
        below = target.removeprefix(f"{self.outer.wire.root}/").removeprefix("/")
        if below.startswith("b1s/") or "://" in below.partition("?")[0]:
            raise NotSimulatedError("addresses of a batch that leave its service root")
        return below

    def _part(self, reply: SlReply, content_id: str | None) -> BatchReply:
        """Return a response in the form of older builds, if configured."""
        return BatchReply(reply=alternative_body(reply, self.world.switches), content_id=content_id)

    def _refusal(self, error: SlError) -> SlReply:
        wire = error_wire(self.outer, self.world.switches)
        value = wire.error_value(error, language=self.language, inner=True)
        return SlReply(
            status=error.status, headers=(("Content-Type", wire.error_type), wire.version), body=render(value)
        )


def _check_content_ids(parts: list[BatchRequest | ChangeSet], request: SlRequest) -> None:
    if not request.wire.content_id_required:
        return
    for part in parts:
        if isinstance(part, ChangeSet) and any(r.content_id is None for r in part.requests):
            raise content_id_missing()
