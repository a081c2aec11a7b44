"""Every error of a tax document has words for people."""

import inspect

from erpclient.tax_documents import errors
from supplier_returns.tax_documents.errors import worded


def test_each_code_has_its_own_sentence() -> None:
    codes = {
        each.code
        for _, each in inspect.getmembers(errors, inspect.isclass)
        if issubclass(each, errors.TaxDocumentError) and each is not errors.TaxDocumentError
    }
    assert len(codes) == 13
    sentences = {worded(code) for code in codes}
    assert len(sentences) == len(codes)
    assert worded("something else") not in sentences
