"""A customer's extension: stock, overdue invoices, a sales report, a printed order,
statements of account, and roles.

Named in the gateway's `EXTENSIONS` as `comercial_demo`; docs/reports-and-queries.md
explains each part.
"""

from typing import Final

from comercial_demo import account_statement, order_layout, sales_report
from comercial_demo.queries import QUERIES
from comercial_demo.roles import ROLES
from erp_gateway.extensions import Extension

EXTENSION: Final = Extension(
    queries=QUERIES,
    html_reports=(sales_report.REPORT, order_layout.REPORT, account_statement.REPORT),
    roles=ROLES,
)
