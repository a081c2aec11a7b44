"""Settings of the simulator for behavior in which real systems differ."""

from __future__ import annotations

import enum
from datetime import UTC, date, tzinfo

import attrs

from erpsim.company.habits import OtherHabit
from erpsim.company.notification import Notice


class DateFormat(enum.Enum):
    """Date format of responses: `2014-04-01` in old builds, `2014-04-01T00:00:00Z` in current ones."""

    PLAIN = "plain"
    UTC_MIDNIGHT = "utc-midnight"


class WrongLogin(enum.Enum):
    """Text of a refused login: `Login failed` (newer builds) or the text of the landscape directory
    (older).
    """

    LOGIN_FAILED = "login-failed"
    SLD = "sld"


class SqlDialect(enum.Enum):
    """The company's database: its quotes and functions are used in stored queries."""

    HANA = "hana"
    MSSQL = "mssql"


class LostSession(enum.Enum):
    """Response of the report gateway to a call without a valid session.

    A bare 401 (seen live), a bare 403, or a redirect to its login page (SAP's user guide of the API gateway
    mentions one). Assumed, because it answers nearly everything with 200: that page itself, and the Service
    Layer's code of a lost session.
    """

    UNAUTHORIZED = "401"
    FORBIDDEN = "403"
    REDIRECT = "302"
    PAGE = "200-page"
    CODE = "200-code"


class Base64Form(enum.Enum):
    """Form of a PDF in the report gateway's response.

    Bare base64 (seen live). Assumed: in JSON's quotes, as its texts come, and in lines of 76 characters, as
    MIME and Java's own encoder for it write.
    """

    BARE = "bare"
    QUOTED = "quoted"
    WRAPPED = "wrapped"


class TaxAnswer(enum.Enum):
    """Response of the tax-document service about an existing document: the correct one, or a faulty one seen
    in or expected of services of this kind.
    """

    RIGHT = "right"
    NOT_READY = "not-ready"
    """`Estatus` 4: it is not printed yet (assumed)."""
    NO_SUCH_DOCUMENT = "no-such-document"
    NO_PDF = "no-pdf"
    EMPTY_PDF = "empty-pdf"
    HTML_AS_PDF = "html-as-pdf"
    CUT_PDF = "cut-pdf"
    BROKEN_BASE64 = "broken-base64"
    BASE64_TWICE = "base64-twice"
    """One provider encodes twice, and its client decodes twice."""
    LARGE_PDF = "large-pdf"
    """12 MB."""
    OTHER_DOCUMENT = "other-document"
    NO_XML = "no-xml"
    OTHER_ORDER = "other-order"
    EXTRA_ELEMENT = "extra-element"
    EMPTY_RESULT = "empty-result"
    FAULT = "fault"
    HTML = "html"
    HTML_502 = "html-502"
    REDIRECT = "redirect"
    SOAP_12 = "soap-1.2"
    DTD = "dtd"
    ENTITY_BOMB = "entity-bomb"


class MetadataVisible(enum.Enum):
    """When the Service Layer shows new user tables, fields and objects.

    The manual says after a restart (1.22, 7.2); products find them at once or after the next login.
    """

    AT_ONCE = "at-once"
    AFTER_LOGIN = "after-login"
    AFTER_RESTART = "after-restart"


@attrs.frozen(kw_only=True)
class Switches:
    """All switches, with the values of the demo's company as defaults. Tests change single ones with
    `attrs.evolve`.

    World (rows and rules):
        company, company_name: database name for the login, and display name.
        version: version in the login's response (digits only); from 1000200 on (FP 2102) there are entity
            tags.
        timezone: time zone of the company's server, for days and times in rows.
        page_size: default page size.
        date_format: see `DateFormat`.
        entity_tags: False for a build before FP 2102, without tags and `DataVersion`.
        approval_procedure: entity sets in which a normal user's new document becomes a draft, with -2028.
        negative_stock: whether an issue may take a warehouse below zero.
        over_base_quantity: whether a target line may exceed the open quantity of its base line.
        locked_periods: months (`2026-03`) in which documents can't be posted.
        first_posting_date, last_posting_date: first and last allowed posting date; None for no limit.
        daily_rates: whether each day needs its own exchange rate.
        transaction_notification: the customer's own rules (see `erpsim.company.notification`).
        notification_breaks_batch: whether their refusal inside a change set comes as the balancer's HTML 502,
            as on some builds (reported for B1SLayer), else as the part that failed.
        branches: whether documents need a branch (`BPL_IDAssignedToInvoice`), else -2028.
        attachment_folder: the company's attachment folder; empty for none.
        attachments_mounted: whether the Service Layer's Linux host has it mounted.
        forbidden_sets: entity sets without rights for any user: 403 -6006, as for an ERP user without the
            right.
        paid_amounts: False for a build whose documents have no paid amount (`PaidToDate`).
        query_service: whether `QueryService_PostQuery` exists; on SQL Server it came with 10.0 (likely).
        metadata_visible: see `MetadataVisible`; the database itself has new fields at once.
        user_tables_roll_back: whether rows of user tables without object vanish with a failed change set, as
            the manual says of change sets in general. It is unproven for user tables.
        sql_dialect: see `SqlDialect`.
        sql_tables_added, sql_tables_removed: differences between the allow-list of stored queries and the
            published one.
        sql_grants: queries that normal users may run: `bodega:DP_Stock`, or `bodega:*` for everything.
        sql_modifiers: normal users who may create, change and remove stored queries.
        other_habits: see `OtherHabit`; some are the web server's.
        sql_stable_pages: whether later pages of a stored query keep the order; on MSSQL they need not.

    HTTP (sessions and trouble), read by the server:
        idle_timeout_s: a session ends after this time without a call.
        logins_before_lock: wrong passwords in a row after which a user is locked; 0 for no lock.
        wrong_login: see `WrongLogin`.
        wrong_login_delay_s, login_delay_s: duration of a refused and of a successful login.
        parallel_penalty_s: delay of each call that arrives while its session is busy.
        call_delay_s: additional delay of every call.
        nodes: cluster nodes that the balancer names in `ROUTEID`.
        route_required: whether a write without `ROUTEID` fails with -1116.
        secure_cookies: whether the cookies carry `Secure` and `SameSite`.
        expect_fails: whether `Expect: 100-continue` gets an empty 500.
        company_error: DI API number in the login's refusal `Switch company error` (305); None for none.
        encoded_slash: whether the web server accepts `%2F`; otherwise it returns a 404 page.

    Report gateway (`erpsim.report_gateway`):
        report_users: normal users with the right "Report Layout API"; superusers always have it.
        report_db_instance: `DBInstance` that its logins must name; empty when none is needed.
        report_idle_timeout_s: its sessions end after this time without a call. The real time is unknown; it
            is longer than the 30 in the login's response, read as minutes.
        report_lost_session: see `LostSession`.
        report_base64: see `Base64Form`.
        report_logout_fails: whether a successful logout returns 400 (seen live) instead of 200 (SAP's guide).
        report_export_s: shortest duration of an export; real ones take 2 to 3 s.
        report_parallel: number of concurrent exports from which every other one fails with `(---)`; above it,
            all fail.

    Tax-document service (`erpsim.tax_documents`):
        folio_delay_s: time until a new return gets its folio; None for never.
        tax_answer: see `TaxAnswer`.
    """

    company: str = "SBO_DEMO"
    company_name: str = "Comercial Demo SpA"
    version: str = "1000340"
    timezone: tzinfo = UTC
    page_size: int = 20
    date_format: DateFormat = DateFormat.UTC_MIDNIGHT
    entity_tags: bool = True
    approval_procedure: frozenset[str] = frozenset()
    negative_stock: bool = False
    over_base_quantity: bool = False
    locked_periods: frozenset[str] = frozenset()
    first_posting_date: date | None = None
    last_posting_date: date | None = None
    daily_rates: bool = False
    transaction_notification: frozenset[Notice] = frozenset()
    notification_breaks_batch: bool = False
    branches: bool = False
    attachment_folder: str = "\\\\servidor\\anexos\\"
    attachments_mounted: bool = True
    forbidden_sets: frozenset[str] = frozenset()
    paid_amounts: bool = True
    query_service: bool = True
    metadata_visible: MetadataVisible = MetadataVisible.AT_ONCE
    user_tables_roll_back: bool = True
    sql_dialect: SqlDialect = SqlDialect.HANA
    sql_tables_added: frozenset[str] = frozenset()
    sql_tables_removed: frozenset[str] = frozenset()
    sql_grants: frozenset[str] = frozenset()
    sql_modifiers: frozenset[str] = frozenset()
    sql_stable_pages: bool = True
    other_habits: frozenset[OtherHabit] = frozenset()

    idle_timeout_s: float = 30 * 60
    logins_before_lock: int = 0
    wrong_login: WrongLogin = WrongLogin.LOGIN_FAILED
    wrong_login_delay_s: float = 0.0
    login_delay_s: float = 0.0
    parallel_penalty_s: float = 0.0
    call_delay_s: float = 0.0
    nodes: int = 4
    route_required: bool = False
    secure_cookies: bool = False
    expect_fails: bool = True
    company_error: int | None = None
    encoded_slash: bool = True

    report_users: frozenset[str] = frozenset()
    report_db_instance: str = ""
    report_idle_timeout_s: float = 60 * 60
    report_lost_session: LostSession = LostSession.UNAUTHORIZED
    report_base64: Base64Form = Base64Form.BARE
    report_logout_fails: bool = True
    report_export_s: float = 0.02
    report_parallel: int = 4

    folio_delay_s: float | None = 0.0
    tax_answer: TaxAnswer = TaxAnswer.RIGHT

    def has(self, habit: OtherHabit) -> bool:
        """Return whether an alternative habit is enabled."""
        return habit in self.other_habits
