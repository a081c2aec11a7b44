"""A client of SAP Business One's Service Layer: one session, a fair queue, exact bodies.

Queries, keys and entity tags are in :mod:`erpclient.odata`.
"""

from erpclient.caller import CallContext, Caller, CallTrace, Reserve
from erpclient.client import ErpClient
from erpclient.clock import Clock, SystemClock
from erpclient.erp_session import SessionState
from erpclient.errors import (
    CallerGone,
    ErpError,
    ErpKeyUnsupported,
    ErpLoginRejected,
    ErpRefused,
    ErpReplyTooLarge,
    ErpReplyUnreadable,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    ErpUnwell,
    Outcome,
    Phase,
    QueueClosed,
    QueueFull,
    QueueTimeout,
    SessionEnded,
)
from erpclient.fair_queue import FairQueue, Permit, QueueWait
from erpclient.health import Balancer, BalancerWatch, Condition, HealthMonitor
from erpclient.http.aiohttp_transport import AiohttpTransport, create_transport
from erpclient.http.attachments import ATTACHMENTS, FilePart
from erpclient.http.authorities import certificate_files
from erpclient.http.messages import HttpReply, HttpRequest, StreamedBody
from erpclient.http.replies import ErpList, ErpRecord, ErpReply, ErpRows, Ping
from erpclient.http.tls import create_tls_context
from erpclient.http.transport import Transport
from erpclient.joins import CrossJoin, JoinedPath
from erpclient.lanes import InternalLane, Lane, lane_name
from erpclient.observer import LOGIN_OUTCOMES, NullObserver, Observer
from erpclient.odata import Dialect
from erpclient.queue_rules import QueueRules
from erpclient.request_queue import QueueStats, RequestQueue
from erpclient.session import Session
from erpclient.settings import Credentials, ErpSettings
from erpclient.stored_queries import InvalidQueryValue, QueryValue

__all__ = [
    "ATTACHMENTS",
    "LOGIN_OUTCOMES",
    "AiohttpTransport",
    "Balancer",
    "BalancerWatch",
    "CallContext",
    "CallTrace",
    "Caller",
    "CallerGone",
    "Clock",
    "Condition",
    "Credentials",
    "CrossJoin",
    "Dialect",
    "ErpClient",
    "ErpError",
    "ErpKeyUnsupported",
    "ErpList",
    "ErpLoginRejected",
    "ErpRecord",
    "ErpRefused",
    "ErpReply",
    "ErpReplyTooLarge",
    "ErpReplyUnreadable",
    "ErpRows",
    "ErpServerError",
    "ErpSettings",
    "ErpTimeout",
    "ErpUnreachable",
    "ErpUnwell",
    "FairQueue",
    "FilePart",
    "HealthMonitor",
    "HttpReply",
    "HttpRequest",
    "InternalLane",
    "InvalidQueryValue",
    "JoinedPath",
    "Lane",
    "NullObserver",
    "Observer",
    "Outcome",
    "Permit",
    "Phase",
    "Ping",
    "QueryValue",
    "QueueClosed",
    "QueueFull",
    "QueueRules",
    "QueueStats",
    "QueueTimeout",
    "QueueWait",
    "RequestQueue",
    "Reserve",
    "Session",
    "SessionEnded",
    "SessionState",
    "StreamedBody",
    "SystemClock",
    "Transport",
    "certificate_files",
    "create_tls_context",
    "create_transport",
    "lane_name",
]
