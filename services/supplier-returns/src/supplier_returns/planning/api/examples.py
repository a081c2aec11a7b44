"""Example bodies of the API's description, one story throughout."""

from typing import Any, Final

_DIGEST: Final = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

PASTE: Final[dict[str, Any]] = {
    "whsCode": "01",
    "texto": "Código\tCantidad\tMotivo\n0012\t10\tVENC\n000450\t1,5\t\n",
    "formatoNumero": "auto",
}

_ALLOCATION: Final[dict[str, Any]] = {
    "docId": 1,
    "cardCode": "P001",
    "baseEntry": 501,
    "baseLine": 0,
    "baseNum": 8801,
    "baseFecha": "2025-11-02",
    "baseReferencia": "GD 4410",
    "cantidad": 7,
    "cantidadDocumento": 7,
    "factor": 1,
    "precio": 1200,
    "moneda": "CLP",
    "sucursal": None,
    "lote": None,
    "serie": None,
}
_LINE: Final[dict[str, Any]] = {
    "itemCode": "0012",
    "descripcion": "Aceite 1 l",
    "unidad": "UN",
    "cantidad": 10,
    "asignada": 7,
    "sinStock": 1,
    "sinEntrada": 2,
    "noDivisible": 0,
    "stock": 9,
    "gestion": "ninguna",
    "motivo": "VENC",
    "cardCode": None,
    "excluida": False,
    "estado": "parcial",
    "mensaje": (
        "Se devuelven 7 de 10. Falta 1 en la bodega (hay 9). "
        "2 están en la bodega sin una recepción abierta: "
        "si ya se facturaron, corresponde una nota de crédito."
    ),
    "filas": [2],
    "asignaciones": [_ALLOCATION],
}
_DOCUMENT: Final[dict[str, Any]] = {
    "docId": 1,
    "cardCode": "P001",
    "proveedor": "Distribuidora Andina SpA",
    "rut": "76123456-K",
    "moneda": "CLP",
    "sucursal": None,
    "parte": 1,
    "lineas": 1,
    "total": 8400,
    "estado": "pendiente",
    "clase": None,
    "mensaje": None,
    "intentos": 0,
    "docEntry": None,
    "docNum": None,
    "folio": None,
}
_NOTE: Final[dict[str, Any]] = {
    "fila": 3,
    "columna": "cantidad",
    "valor": "1,2,3",
    "code": "quantity_grouping",
    "message": "Los separadores de la cantidad no corresponden a ningún número.",
}

PREVIEW: Final[dict[str, Any]] = {
    "columnas": {"codigo": 0, "cantidad": 1, "motivo": 2},
    "encabezado": True,
    "filasLeidas": 2,
    "filasVacias": 0,
    "lineas": [_LINE],
    "documentos": [_DOCUMENT],
    "errores": [_NOTE],
    "avisos": [],
    "huella": _DIGEST,
}

NEW: Final[dict[str, Any]] = {
    "cabecera": {"whsCode": "01", "fecha": "2026-03-04", "serie": 71, "motivo": "VENC"},
    "lineas": [{"itemCode": "0012", "cantidad": 10, "motivo": "VENC", "filas": [2]}],
    "huella": _DIGEST,
}

DETAIL: Final[dict[str, Any]] = {
    "id": 12,
    "numero": 12,
    "status": "O",
    "estado": "planificada",
    "version": 1,
    "usuario": "bodega",
    "creada": "2026-03-04T14:05:00.000Z",
    "cabecera": {
        "whsCode": "01",
        "fecha": "2026-03-04",
        "fechaDocumento": "2026-03-04",
        "serie": 71,
        "indTraslado": "7",
        "tipoDespacho": None,
        "motivo": "VENC",
        "comentario": None,
        "maxLineas": 60,
    },
    "lineas": [{"lineId": 1, **_LINE}],
    "documentos": [_DOCUMENT],
    "resumen": {
        "lineas": 1,
        "excluidas": 0,
        "documentos": 1,
        "proveedores": 1,
        "pedida": 10,
        "asignada": 7,
        "sinStock": 1,
        "sinEntrada": 2,
        "noDivisible": 0,
    },
    "acciones": ["editar", "lineas", "replanificar", "devoluciones", "cerrar"],
}

LIST: Final[dict[str, Any]] = {
    "datos": [
        {
            "id": 12,
            "numero": 12,
            "status": "O",
            "estado": "planificada",
            "whsCode": "01",
            "fecha": "2026-03-04",
            "creada": "2026-03-04T14:05:00.000Z",
            "usuario": "bodega",
            "totalLineas": 1,
            "totalDocumentos": 1,
            "creados": 0,
            "errores": 0,
        }
    ],
    "pagina": 1,
    "tamano": 20,
    "total": 57,
    "paginas": 3,
}

ADDED: Final[dict[str, Any]] = {
    "version": 1,
    "lineas": [{"itemCode": "000450", "cantidad": 1.5, "motivo": "VENC"}],
}

LOTS: Final[dict[str, Any]] = {
    "lineId": 1,
    "itemCode": "0012",
    "gestion": "lotes",
    "asignada": 7,
    "lotes": [
        {
            "cantidad": 9,
            "disponible": 7,
            "elegida": 2,
            "lote": "L-2025-11",
            "serie": None,
            "vence": "2026-05-31",
            "ingreso": "2025-11-02",
        }
    ],
}
