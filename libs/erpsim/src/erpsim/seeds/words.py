"""Words that names are made of: a Chilean hardware and building supplies trader."""

from __future__ import annotations

from typing import Final

GOODS: Final = (
    ("Tornillo autoperforante", "TOR", 101, 90),
    ("Perno hexagonal galvanizado", "PER", 101, 180),
    ("Clavo corriente", "CLA", 101, 1200),
    ("Taladro percutor", "TAL", 102, 34000),
    ("Esmeril angular", "ESM", 102, 28000),
    ("Martillo carpintero", "MAR", 102, 7900),
    ("Juego de llaves", "LLA", 102, 15900),
    ("Cemento especial", "CEM", 103, 3900),
    ("Yeso en saco", "YES", 103, 4200),
    ("Plancha de yeso cartón", "PLA", 103, 6100),
    ("Ladrillo fiscal", "LAD", 103, 210),
    ("Pintura látex", "PIN", 104, 12900),
    ("Esmalte al agua", "EAG", 104, 14500),
    ("Brocha cerda", "BRO", 104, 2100),
    ("Cañería de cobre", "CAN", 105, 8700),
    ("Tubo PVC sanitario", "PVC", 105, 3600),
    ("Codo PVC", "COD", 105, 450),
    ("Llave de bola", "LBO", 105, 5200),
    ("Cable eléctrico", "CAB", 106, 980),
    ("Ampolleta LED", "AMP", 106, 1490),
    ("Enchufe triple", "ENC", 106, 2300),
    ("Guante de cabritilla", "GUA", 107, 3400),
    ("Casco de seguridad", "CAS", 107, 5600),
    ("Zapato de seguridad", "ZAP", 107, 27900),
    ("Tabla de pino cepillado", "TAB", 108, 3300),
    ("Terciado estructural", "TER", 108, 18900),
)
"""Name, code prefix, item group and cost in pesos of each family of goods."""

GROUPS: Final = {
    100: "Artículos",
    101: "Fijaciones",
    102: "Herramientas",
    103: "Obra gruesa",
    104: "Pinturas",
    105: "Gasfitería",
    106: "Electricidad",
    107: "Seguridad",
    108: "Maderas",
}
SIZES: Final = (
    '1/2"', '3/4"', '1"', '2"', "4 mm", "6 mm", "8 mm", "10 mm", "25 kg", "1 gl", "4 gl", "3,2 m", "6 m", "50 m",
)  # fmt: skip
MAKES: Final = ("Andes", "Ñuble", "Pacífico", "Cordillera", "Maipo", "Loncoche", "Atacama", "Chiloé")
SEASONS: Final = ("VERANO", "OTOÑO", "INVIERNO", "PRIMAVERA")
TRADES: Final = (
    "Ferretería",
    "Constructora",
    "Comercial",
    "Maestranza",
    "Inmobiliaria",
    "Sociedad",
    "Transportes",
)
FORMS: Final = ("Ltda.", "SpA", "S.A.", "EIRL", "y Cía. Ltda.")
SURNAMES: Final = (
    "González", "Muñoz", "Rojas", "Díaz", "Pérez", "Soto", "Contreras", "Silva", "Martínez", "Sepúlveda", "Morales",
    "Rodríguez", "López", "Fuentes", "Hernández", "Torres", "Araya", "Flores", "Espinoza", "Valenzuela", "Castillo",
    "Núñez", "Tapia", "Reyes", "Gutiérrez", "Castro", "Pizarro", "Álvarez", "Vásquez", "O'Higgins", "Ibáñez", "Zúñiga",
)  # fmt: skip
GIVEN: Final = (
    "Ana", "Luis", "Carmen", "Pedro", "Rosa", "Diego", "María José", "Juan Pablo", "Ignacio", "Francisca", "Matías",
    "Constanza", "Rodrigo", "Paula", "Sebastián", "Javiera",
)  # fmt: skip
STREETS: Final = (
    "Los Aromos",
    "Av. Matta",
    "San Diego",
    "Camino Melipilla",
    "Vicuña Mackenna",
    "Arturo Prat",
    "Ñuñoa",
)
CITIES: Final = (
    ("Santiago", "13"), ("Maipú", "13"), ("Valparaíso", "5"), ("Concepción", "8"), ("Temuco", "9"), ("La Serena", "4"),
    ("Antofagasta", "2"), ("Puerto Montt", "10"), ("Rancagua", "6"), ("Chillán", "16"),
)  # fmt: skip
BUSINESSES: Final = (
    "Venta al por mayor de materiales",
    "Obras menores",
    "Transporte de carga",
    "Retail",
    "Servicios",
)
REMARKS: Final = (
    "Entregar por la mañana",
    "Retira en bodega",
    "Llamar antes de despachar",
    "Urgente",
    "Pago contra factura",
)
