SELECT T0.[DocEntry], T1.[LineNum], T0.[DocNum], T0.[DocDate], T0.[CardCode],
  ISNULL(T0.[CardName], '') AS [CardName], ISNULL(T0.[LicTradNum], '') AS [LicTradNum],
  ISNULL(T0.[NumAtCard], '') AS [NumAtCard], ISNULL(T0.[FolioNum], 0) AS [FolioNum], T1.[ItemCode],
  T1.[OpenQty], T1.[OpenInvQty], ISNULL(T1.[NumPerMsr], 1) AS [NumPerMsr],
  ISNULL(T1.[unitMsr], '') AS [unitMsr], ISNULL(T1.[Price], 0) AS [Price],
  ISNULL(T0.[DocCur], '') AS [DocCur], ISNULL(T1.[TaxCode], '') AS [TaxCode],
  ISNULL(T0.[BPLId], 0) AS [BPLId], 0 AS [Filas], 2 AS [Version]
FROM [OPDN] T0 INNER JOIN [PDN1] T1 ON T0.[DocEntry] = T1.[DocEntry]
WHERE T1.[WhsCode] = :almacen AND T0.[DocStatus] = 'O' AND T0.[CANCELED] = 'N' AND T0.[DocType] = 'I'
  AND T1.[LineStatus] = 'O' AND T1.[OpenQty] > 0 AND T1.[ItemCode] LIKE :articulo
  AND T0.[DocEntry] BETWEEN :desde AND :hasta
UNION ALL
SELECT 0 AS [DocEntry], 0 AS [LineNum], 0 AS [DocNum], MAX(T0.[DocDate]) AS [DocDate], '' AS [CardCode],
  '' AS [CardName], '' AS [LicTradNum], '' AS [NumAtCard], 0 AS [FolioNum], '' AS [ItemCode], 0 AS [OpenQty],
  0 AS [OpenInvQty], 0 AS [NumPerMsr], '' AS [unitMsr], 0 AS [Price], '' AS [DocCur], '' AS [TaxCode],
  0 AS [BPLId], COUNT(T1.[LineNum]) AS [Filas], 2 AS [Version]
FROM [OPDN] T0 INNER JOIN [PDN1] T1 ON T0.[DocEntry] = T1.[DocEntry]
WHERE T1.[WhsCode] = :almacenTotal AND T0.[DocStatus] = 'O' AND T0.[CANCELED] = 'N' AND T0.[DocType] = 'I'
  AND T1.[LineStatus] = 'O' AND T1.[OpenQty] > 0 AND T1.[ItemCode] LIKE :articuloTotal
  AND T0.[DocEntry] BETWEEN :desdeTotal AND :hastaTotal
