"""Simulated provider of tax documents (SOAP, operation `Consulta_TXTDTE`).

    async with run_sim(seed="returns", listening=Listening(tax_documents_port=0)) as sim:
        url = sim.tax_documents.url

No public description of this operation exists. What is simulated is assumed, from what is public of relatives
of the service: document/literal at `http://tempuri.org/`, its habits those of ASP.NET.
"""

from erpsim.tax_documents.service import Question, TaxDocumentService

__all__ = ["Question", "TaxDocumentService"]
