"""Every error of a tax document has a message for users."""

import inspect

from erpclient.tax_documents import errors
from supplier_returns.tax_documents.errors import failed_document


def test_each_error_code_has_its_own_message() -> None:
    codes = {
        each.code
        for _, each in inspect.getmembers(errors, inspect.isclass)
        if issubclass(each, errors.TaxDocumentError) and each is not errors.TaxDocumentError
    }
    assert len(codes) == 13
    messages = [failed_document(1, 2, code)["message"] for code in (*codes, "something else")]
    assert len(set(messages)) == len(codes) + 1
