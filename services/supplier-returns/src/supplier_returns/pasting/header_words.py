"""Vocabulary of header cells: Chilean, Spanish and English column names.

A name must match completely. "Cantidad mala" may or may not be the quantity to return, so such a cell only
*mentions* a quantity. Next to a column with an exact name it makes the columns unknown.
"""

import re
import unicodedata

from supplier_returns.pasting.columns import Column

MAX_HEADER = 100
"""Maximum characters of a compared cell, since normalizing combining marks takes quadratic time."""

_NAMES: dict[Column, str] = {
    Column.CODE: """
        codigo cod codigoarticulo codarticulo codigodearticulo codigodelarticulo articulo codigoitem coditem
        item itemcode itemno itemnumber sku codigosku codsku producto codigoproducto codigodeproducto
        codigodelproducto codproducto codprod codigoprod codart codigoart productcode partnumber partno
        numerodearticulo numeroarticulo nodearticulo ndearticulo nroarticulo nrodearticulo narticulo
        material codigomaterial codigodematerial codmaterial codigosap codsap codigointerno codinterno
        idproducto idarticulo
    """,
    Column.QUANTITY: "cantidad cant qty quantity ctd ctdad cdad",
    Column.WAREHOUSE: "almacen bodega whs whscode warehouse codigobodega codigoalmacen",
    Column.REASON: """
        motivo razon causa reason motivodevolucion motivodedevolucion motivodeladevolucion returnreason
    """,
    Column.COMMENT: """
        comentario comentarios observacion observaciones obs glosa comment comments nota notas remarks
    """,
}
_RETURN_QUANTITIES = """
    cantidadadevolver cantidaddevolver cantadevolver cantdevolver cantidaddev cantdev ctddev
    cantidaddevolucion cantidaddedevolucion cantdevolucion adevolver devolver unidadesadevolver
    udsadevolver unidadevolver ctdadevolver quantitytoreturn qtytoreturn returnquantity returnqty
"""
_UNITS = "unid unids uds ud und unds unidades units"
_OTHER_TITLES = """
    precio preciounitario preciounit valor valorunitario monto importe neto iva total subtotal costo coste
    price cost amount stock existencia existencias saldo disponible inventario onhand descripcion
    descripcionarticulo detalle nombre description name unidad um udm uom unidaddemedida fecha date lote serie
    batch serial proveedor supplier vendor vencimiento factura guia documento folio marca familia categoria
    linea pos no n nro pedida recibida facturada devuelta entregada ordered received returned
"""
_RETURN_NAMES = frozenset(_RETURN_QUANTITIES.split())
_UNIT_NAMES = frozenset(_UNITS.split())
_MEANING = {name: column for column, names in _NAMES.items() for name in names.split()}
_MEANING |= dict.fromkeys(_RETURN_NAMES | _UNIT_NAMES, Column.QUANTITY)
_TITLES = frozenset(_MEANING) | frozenset(_OTHER_TITLES.split())
_LONGEST_TITLE = max(map(len, _TITLES))
_DIGIT = re.compile(r"[0-9]")

_QUANTITY_TOKEN = re.compile(
    r"cant|cants|cantidad(?:es)?|ctd|ctdad|cdad|qty|quantit(?:y|ies)|unids?|uds?|unds?|unidades"
)
_RETURN_TOKEN = re.compile(r"dev|devol\w*|devuelt\w*|return\w*|retorn\w*")
_STOCK_TOKEN = re.compile(
    r"stock|disponibles?|existencias?|saldo|minim[ao]|maxim[ao]|inventario|available|onhand"
)
_MONEY_TOKEN = re.compile(r"precios?|valor|costos?|costes?|montos?|importes?|price|cost|amount|pu")
_NOT_A_WORD_CHARACTER = re.compile(r"[^a-z0-9]+")


def plain_name(cell: str) -> str:
    """Return the letters and digits of a cell, without accents, blanks and punctuation, in lower case."""
    return _NOT_A_WORD_CHARACTER.sub("", _plain(cell))


def meaning_of(cell: str) -> Column | None:
    """Return the meaning of a header cell, if it is known."""
    return _MEANING.get(plain_name(cell))


def is_unit(cell: str) -> bool:
    """Return whether the cell names units: a quantity, or the unit of measure next to one."""
    return plain_name(cell) in _UNIT_NAMES


def is_return_quantity(cell: str) -> bool:
    """Return whether the cell names a quantity to return, such as "Cantidad a devolver"."""
    return plain_name(cell) in _RETURN_NAMES


def is_title(cell: str) -> bool:
    """Return whether the cell is a column name, even of an ignored column such as "Precio"."""
    is_short = 0 < len(cell) <= 2 * _LONGEST_TITLE  # a cheap test first, since most cells are data
    return is_short and _DIGIT.search(cell) is None and plain_name(cell) in _TITLES


def mentions_quantity(cell: str) -> bool:
    """Return whether the cell mentions a return, or a quantity other than stock and unit prices."""
    tokens = _tokens(cell)
    is_quantity = any(_QUANTITY_TOKEN.fullmatch(token) for token in tokens)
    is_else = any(_STOCK_TOKEN.fullmatch(token) or _MONEY_TOKEN.fullmatch(token) for token in tokens)
    return mentions_return(cell) or (is_quantity and not is_else)


def mentions_return(cell: str) -> bool:
    """Return whether the cell mentions a return, such as "Cant. dev. bodega"."""
    return any(_RETURN_TOKEN.fullmatch(token) for token in _tokens(cell))


def _tokens(cell: str) -> list[str]:
    return _NOT_A_WORD_CHARACTER.sub(" ", _plain(cell)).split()


def _plain(cell: str) -> str:
    if len(cell) > MAX_HEADER:
        return ""
    decomposed = unicodedata.normalize("NFKD", cell.casefold())
    return decomposed.encode("ascii", "ignore").decode("ascii")
