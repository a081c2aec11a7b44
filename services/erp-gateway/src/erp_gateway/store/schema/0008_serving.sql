-- Which process after the other served the store, where a second one stands by: `generation` counts them, and
-- `released` tells whether the last one gave its lock back itself, all its calls to the ERP done. One row, made by
-- the first one.
CREATE TABLE serving (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    generation INTEGER NOT NULL,
    released   INTEGER NOT NULL CHECK (released IN (0, 1))
) STRICT;
