/** What people call the properties of records, and the fields of requests. Pure. */
const TITLES = {
  ItemCode: "Artículo", ItemDescription: "Descripción", ItemName: "Nombre", Quantity: "Cantidad", UnitPrice: "Precio unitario",
  Price: "Precio", LineTotal: "Total", WarehouseCode: "Bodega", LineStatus: "Estado", LineNum: "Línea", DiscountPercent: "Descuento %",
  MeasureUnit: "Unidad", RemainingOpenQuantity: "Pendiente", Currency: "Moneda", CardCode: "Código del socio", CardName: "Nombre del socio",
  DocDate: "Fecha", DocDueDate: "Vencimiento", TaxDate: "Fecha del documento", DocNum: "Número", DocEntry: "Número interno",
  NumAtCard: "Referencia", Comments: "Comentarios", JournalMemo: "Glosa", FederalTaxID: "RUT", Address: "Dirección",
  SalesPersonCode: "Vendedor", PaymentGroupCode: "Condición de pago", Series: "Serie", VatSum: "IVA", DocTotal: "Total",
  DocCurrency: "Moneda", CreationDate: "Creado", UpdateDate: "Modificado", AccountCode: "Cuenta", Debit: "Debe", Credit: "Haber",
  InStock: "En stock", Committed: "Comprometido", Ordered: "Pedido", FreeText: "Texto libre", TaxCode: "Impuesto",
  AddressName: "Nombre de la dirección", Street: "Calle", City: "Ciudad",
};
const COLLECTIONS = {
  DocumentLines: "Líneas", DocumentInstallments: "Cuotas", BPAddresses: "Direcciones", ContactEmployees: "Contactos",
  ItemWarehouseInfoCollection: "Existencias por bodega", ItemPrices: "Precios", JournalEntryLines: "Líneas", StockTransferLines: "Líneas",
  DocumentAdditionalExpenses: "Gastos adicionales", BPBankAccounts: "Cuentas bancarias",
};
const FIELDS = {
  usuario: "Usuario", username: "Usuario", clave: "Contraseña", password: "Contraseña", whsCode: "Bodega", cantidad: "Cantidad", motivo: "Motivo",
  codigo: "Código", texto: "Planilla", paths: "Rutas", webUser: "Usuario web", serie: "Serie", fecha: "Fecha", comentario: "Comentario",
};
const PLACE = /^(?:[A-Za-z]+\.)?(?:[A-Za-z]+\[(\d+)\]\.)?([A-Za-z_]+)$/;

export const titleOf = (name, columns = []) => columns.find((column) => column.name === name)?.title ?? TITLES[name] ?? name;
export const collectionTitle = (name) => COLLECTIONS[name] ?? name;

/** A field of a request, which may be called as the ERP calls it with a small first letter; null where nobody has a word for it. */
export const fieldTitle = (name) => FIELDS[name] ?? TITLES[name] ?? TITLES[name[0].toUpperCase() + name.slice(1)] ?? null;

/** Where a refused value stands, such as `lineas[2].itemCode`, in words; null where nobody has any. */
export function placeInWords(path) {
  const [, row, name] = PLACE.exec(path) ?? [];
  const title = name && fieldTitle(name);
  return title ? `${title}${row === undefined ? "" : `, línea ${Number(row) + 1}`}` : null;
}
