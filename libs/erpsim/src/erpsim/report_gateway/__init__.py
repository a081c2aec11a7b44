"""In: an HTTP request to SAP's API gateway ("Reporting Service").
Out: its answer, faults included; of an export the company's layout as a PDF.

    async with run_report_gateway() as gateway:
        client = connect(gateway.url)

Where nothing else is said, its behaviour follows SAP's guide of the API gateway and a published recording of
a real one.
"""

from erpsim.report_gateway.gateway import ReportGateway, SentExport
from erpsim.report_gateway.running import run_report_gateway

__all__ = ["ReportGateway", "SentExport", "run_report_gateway"]
