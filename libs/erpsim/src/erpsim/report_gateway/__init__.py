"""Simulated API gateway of SAP ("Reporting Service") that exports layouts as PDF.

    async with run_report_gateway() as gateway:
        client = connect(gateway.url)

Unless stated otherwise, it follows SAP's guide of the API gateway and a published recording of a real one.
"""

from erpsim.report_gateway.gateway import ReportGateway, SentExport
from erpsim.report_gateway.running import run_report_gateway

__all__ = ["ReportGateway", "SentExport", "run_report_gateway"]
