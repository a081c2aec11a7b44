"""Numbers of the protocol that the simulator uses, under their public names."""

import enum


class Message(enum.IntEnum):
    """Kinds of request. READLOB and WRITELOB follow node-hdb's numbering, which is what ``hdbcli`` sends."""

    EXECUTEDIRECT = 2
    PREPARE = 3
    EXECUTE = 13
    READLOB = 16
    WRITELOB = 17
    AUTHENTICATE = 65
    CONNECT = 66
    COMMIT = 67
    ROLLBACK = 68
    CLOSERESULTSET = 69
    DROPSTATEMENTID = 70
    FETCHNEXT = 71
    DISCONNECT = 77
    DBCONNECTINFO = 82


class Part(enum.IntEnum):
    """Kinds of part."""

    COMMAND = 3
    RESULTSET = 5
    ERROR = 6
    STATEMENTID = 10
    ROWSAFFECTED = 12
    RESULTSETID = 13
    READLOBREQUEST = 17
    READLOBREPLY = 18
    CLIENTCONTEXT = 29
    PARAMETERS = 32
    AUTHENTICATION = 33
    CLIENTID = 35
    CONNECTOPTIONS = 42
    FETCHSIZE = 45
    PARAMETERMETADATA = 47
    RESULTSETMETADATA = 48
    CLIENTINFO = 57
    TRANSACTIONFLAGS = 64
    DBCONNECTINFO = 67


class Function(enum.IntEnum):
    """Function code of a reply."""

    NONE = 0
    DDL = 1
    INSERT = 2
    UPDATE = 3
    DELETE = 4
    SELECT = 5
    FETCH = 10
    COMMIT = 11
    ROLLBACK = 12
    CONNECT = 14
    READLOB = 16
    DISCONNECT = 18
    CLOSECURSOR = 19


class Segment(enum.IntEnum):
    """Kinds of segment."""

    REQUEST = 1
    REPLY = 2
    ERROR = 5


class Type(enum.IntEnum):
    """Type codes of columns and parameters."""

    TINYINT = 1
    SMALLINT = 2
    INTEGER = 3
    BIGINT = 4
    DECIMAL = 5
    REAL = 6
    DOUBLE = 7
    VARCHAR = 9
    NVARCHAR = 11
    VARBINARY = 13
    CLOB = 25
    NCLOB = 26
    BLOB = 27
    BOOLEAN = 28
    STRING = 29
    NSTRING = 30
    BSTRING = 33
    TIMESTAMP = 61
    SECONDDATE = 62
    DATE = 63
    TIME = 64
    FIXED16 = 76
    FIXED8 = 81
    FIXED12 = 82


class HanaError(Exception):
    """An error reported by the server.

    Attributes:
        code: HANA's number: 10 login, 139 cancelled, 257 syntax, 258 privilege, 259 table, 260 column, 301
            unique, 362 schema.
        sqlstate: five characters.
        level: 1 error, 2 fatal.
    """

    def __init__(self, code: int, text: str, *, sqlstate: str = "HY000", level: int = 1) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.sqlstate = sqlstate
        self.level = level


CANCELLED = (139, "current operation cancelled by request and transaction rolled back")
