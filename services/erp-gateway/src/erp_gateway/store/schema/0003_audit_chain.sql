-- Each audit record carries SHA-256 over itself and its predecessor's chain (storage/audit_chain.py, docs/audit.md).
-- Records from before this script are chained here, as they stand now.
ALTER TABLE audit_log ADD COLUMN chain TEXT NOT NULL DEFAULT '';

-- only sqlite
WITH RECURSIVE linked (id, chain) AS (
    SELECT 0, printf('%064d', 0)
    UNION ALL
    SELECT next.id,
           audit_link(linked.chain, next.id, next.at, next.web_user, next.ip, next.action, next.resource, next.key,
                      next.result, next.fields, next.detail, next.reason, next.request_id)
    FROM linked
    JOIN audit_log AS next ON next.id = (SELECT MIN(id) FROM audit_log WHERE id > linked.id)
)
UPDATE audit_log SET chain = linked.chain FROM linked WHERE linked.id = audit_log.id;
-- end of only sqlite

-- `head` is the last record written, from which the next one follows; `cut` the last one that retention deleted,
-- from which the oldest one left follows.
CREATE TABLE audit_chain (
    place TEXT NOT NULL PRIMARY KEY CHECK (place IN ('cut', 'head')),
    id    INTEGER NOT NULL,
    chain TEXT NOT NULL
) STRICT;

-- only sqlite
INSERT INTO audit_chain (place, id, chain)
SELECT 'cut',
       COALESCE((SELECT MIN(id) - 1 FROM audit_log), (SELECT seq FROM sqlite_sequence WHERE name = 'audit_log'), 0),
       printf('%064d', 0);

INSERT INTO audit_chain (place, id, chain)
SELECT 'head', id, chain FROM (
    SELECT 1 AS rank, id, chain FROM audit_log
    UNION ALL
    SELECT 0, id, chain FROM audit_chain
) ORDER BY rank DESC, id DESC LIMIT 1;
-- end of only sqlite
-- A store on PostgreSQL has no records from before there was a chain.
--postgresql INSERT INTO audit_chain (place, id, chain) VALUES ('cut', 0, repeat('0', 64)), ('head', 0, repeat('0', 64));

-- A document's history, newest first.
CREATE INDEX audit_log_document ON audit_log (resource, key, at);
