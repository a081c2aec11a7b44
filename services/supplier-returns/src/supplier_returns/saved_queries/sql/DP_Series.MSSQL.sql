SELECT T0.[SysNumber], T0.[ItemCode], ISNULL(T1.[DistNumber], '') AS [DistNumber], T0.[Quantity],
  T1.[ExpDate], T1.[InDate], 0 AS [Filas], 1 AS [Version]
FROM [OSRQ] T0 INNER JOIN [OSRN] T1
  ON T0.[ItemCode] = T1.[ItemCode] AND T0.[SysNumber] = T1.[SysNumber]
WHERE T0.[WhsCode] = :almacen AND T0.[Quantity] > 0 AND T0.[ItemCode] LIKE :articulo
  AND T0.[SysNumber] BETWEEN :desde AND :hasta
UNION ALL
SELECT 0 AS [SysNumber], '' AS [ItemCode], '' AS [DistNumber], 0 AS [Quantity], MAX(T1.[ExpDate]) AS [ExpDate],
  MAX(T1.[InDate]) AS [InDate], COUNT(T0.[SysNumber]) AS [Filas], 1 AS [Version]
FROM [OSRQ] T0 INNER JOIN [OSRN] T1
  ON T0.[ItemCode] = T1.[ItemCode] AND T0.[SysNumber] = T1.[SysNumber]
WHERE T0.[WhsCode] = :almacenTotal AND T0.[Quantity] > 0 AND T0.[ItemCode] LIKE :articuloTotal
  AND T0.[SysNumber] BETWEEN :desdeTotal AND :hastaTotal
