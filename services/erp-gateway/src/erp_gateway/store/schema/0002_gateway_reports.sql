-- Reports of the report gateway that people may run; `parameters` is a JSON array of declarations.
CREATE TABLE gateway_reports (
    code       TEXT NOT NULL PRIMARY KEY,
    title      TEXT NOT NULL,
    category   TEXT NOT NULL,
    enabled    INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    parameters TEXT NOT NULL CHECK (json_valid(parameters)),
    updated_at TEXT NOT NULL,
    updated_by TEXT NOT NULL
) STRICT;

-- Screens on whose documents a report is a print format, in the order given.
CREATE TABLE gateway_report_screens (
    code       TEXT NOT NULL,
    position   INTEGER NOT NULL,
    screen     TEXT NOT NULL,
    is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
    PRIMARY KEY (code, screen)
) STRICT;

CREATE INDEX gateway_report_screens_screen ON gateway_report_screens (screen);
CREATE UNIQUE INDEX gateway_report_screens_default ON gateway_report_screens (screen) WHERE is_default = 1;
