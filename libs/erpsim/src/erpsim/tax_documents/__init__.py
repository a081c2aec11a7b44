"""Simulated provider of tax documents (SOAP, operation `Consulta_TXTDTE`).

    async with run_sim(seed="returns", listening=Listening(tax_documents_port=0)) as sim:
        url = sim.tax_documents.url

No public description of this operation exists. The behavior is assumed, based on public information about
related services: document/literal at `http://tempuri.org/`, with the habits of ASP.NET.
"""

from erpsim.tax_documents.service import Question, TaxDocumentService

__all__ = ["Question", "TaxDocumentService"]
