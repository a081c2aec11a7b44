SELECT T0.[ItmsGrpCod], T0.[ItemCode], ISNULL(T0.[ItemName], '') AS [ItemName],
  ISNULL(T0.[InvntryUom], '') AS [InvntryUom], T1.[OnHand], T1.[IsCommited], T1.[OnOrder], T0.[ManBtchNum],
  T0.[ManSerNum], T0.[validFor], T0.[validFrom], T0.[validTo], T0.[frozenFor],
  T0.[frozenFrom], T0.[frozenTo], 0 AS [Filas], 3 AS [Version]
FROM [OITM] T0 INNER JOIN [OITW] T1 ON T0.[ItemCode] = T1.[ItemCode]
WHERE T1.[WhsCode] = :almacen AND T0.[InvntItem] = 'Y' AND T0.[ItemCode] LIKE :articulo
  AND T0.[ItmsGrpCod] BETWEEN :desde AND :hasta
UNION ALL
SELECT 0 AS [ItmsGrpCod], '' AS [ItemCode], '' AS [ItemName], '' AS [InvntryUom], 0 AS [OnHand],
  0 AS [IsCommited], 0 AS [OnOrder], '' AS [ManBtchNum], '' AS [ManSerNum], '' AS [validFor],
  MAX(T0.[validFrom]) AS [validFrom], MAX(T0.[validTo]) AS [validTo], '' AS [frozenFor],
  MAX(T0.[frozenFrom]) AS [frozenFrom], MAX(T0.[frozenTo]) AS [frozenTo],
  COUNT(T0.[ItemCode]) AS [Filas], 3 AS [Version]
FROM [OITM] T0 INNER JOIN [OITW] T1 ON T0.[ItemCode] = T1.[ItemCode]
WHERE T1.[WhsCode] = :almacenTotal AND T0.[InvntItem] = 'Y' AND T0.[ItemCode] LIKE :articuloTotal
  AND T0.[ItmsGrpCod] BETWEEN :desdeTotal AND :hastaTotal
