"""Codes of warnings, in records with codes and in the sentences of older records."""

import pytest

from supplier_returns.planning.model.warnings import (
    MAY_DUPLICATE,
    OTHER_CONTENT,
    PLAN_CHANGED,
    REPEATED,
    SENTENCES,
    copies,
    copies_sentence,
    read_codes,
    warnings_in,
    write_codes,
)

SENTENCES_OF_0_1_0 = {
    "Apareció en el ERP una devolución que se había omitido; sus artículos pueden estar también en esta. "
    "Compárelas antes de ejecutarla.": MAY_DUPLICATE,
    "El plan cambió mientras se hacía una devolución; sus artículos pueden estar también en esta. "
    "Compárelas antes de ejecutarla.": PLAN_CHANGED,
    "El plan cambió mientras se hacía esta devolución: compárela con lo planificado.": OTHER_CONTENT,
    "El ERP tiene más devoluciones con la misma clave: 12. Revíselas.": "copias=12",
    "El ERP tiene más devoluciones con la misma clave: 12, 13. Revíselas.": "copias=12,13",
}


@pytest.mark.parametrize(("sentence", "code"), SENTENCES_OF_0_1_0.items())
@pytest.mark.parametrize("text", ["{}", "Antes. {}", "{} Después.", "Antes. {} Después."])
def test_a_stored_sentence_has_its_code_also_inside_a_longer_text(
    sentence: str, code: str, text: str
) -> None:
    assert warnings_in(text.format(sentence)) == {code}


@pytest.mark.parametrize("text", [None, "", "Sin stock", "El plan cambió", "misma clave: . Revíselas."])
def test_other_texts_have_no_code(text: str | None) -> None:
    assert warnings_in(text) == frozenset()


def test_current_sentences_are_those_of_0_1_0() -> None:
    today = {sentence: code for code, sentence in SENTENCES.items() if code != REPEATED}
    assert today.items() <= SENTENCES_OF_0_1_0.items()
    assert SENTENCES_OF_0_1_0[copies_sentence([12, 13])] == copies([12, 13])


def test_codes_are_read_as_they_were_written() -> None:
    codes = {PLAN_CHANGED, copies([1, 2])}
    assert read_codes(write_codes(codes)) == codes
    assert write_codes(()) is None
    assert read_codes(None) == frozenset()


def test_each_current_sentence_is_found_without_its_code() -> None:
    assert all(warnings_in(sentence) == {code} for code, sentence in SENTENCES.items())
