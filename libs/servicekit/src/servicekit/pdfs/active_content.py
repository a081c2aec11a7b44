"""Removal of active content from PDFs: scripts, programs, media, remote files.

Every object of the file is examined, not only the places that the standard names: an action may hide in an
indirect object, a `/Next` chain, a name tree or a field without a widget.
"""

import re
from typing import Final, TypeGuard

import pikepdf

_FORBIDDEN: Final = frozenset(
    [
        "JavaScript",
        "Launch",
        "GoToR",
        "GoToE",
        "SubmitForm",
        "ImportData",
        "Rendition",
        "Movie",
        "Sound",
        "GoTo3DView",
        "RichMediaExecute",
    ]
)
_ACTIONS: Final = _FORBIDDEN | frozenset(
    [
        "GoTo",
        "GoToDp",
        "Thread",
        "URI",
        "Hide",
        "Named",
        "ResetForm",
        "SetOCGState",
        "Trans",
        "NOP",
        "SetState",
    ]
)
"""All action types of ISO 32000-2 (table 201) and two of earlier versions."""

_HARMLESS_COMMANDS: Final = frozenset(["NextPage", "PrevPage", "FirstPage", "LastPage"])
_SAFE_SCHEMES: Final = frozenset(("http", "https", "mailto", "tel"))
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):")
_NOT_PRINTED: Final = re.compile(r"[\x00-\x20\x7f-\xa0]+")

_MEDIA_KEYS: Final = {
    "/RichMedia": ("/RichMediaContent", "/RichMediaSettings"),
    "/Movie": ("/Movie",),
    "/Sound": ("/Sound",),
    "/3D": ("/3DD", "/3DA"),
}
"""What media annotations play, by their subtype. Their appearance stays."""

_PASSIVE_FILES: Final = frozenset(["xml", "txt", "csv", "json", "png", "jpg", "jpeg", "tif", "tiff"])
"""Extensions of embedded files that stay, such as a tax document's XML: no usual program runs them."""

_MARK: Final = re.compile(
    rb"/(?:%b|URI|Named|Thread|AA|EF|Ref|OnInstantiate|%b)\b|/S *[(<0-9]|/Subtype *[0-9]"
    % ("|".join(sorted(_FORBIDDEN)).encode(), "|".join(key[1:] for key in _MEDIA_KEYS).encode())
)
"""What an object has in it that is active or holds something active.

A type may be a string, too, or an object of its own.
"""

_FILE_NAMES: Final = ("/UF", "/F", "/DOS", "/Mac", "/Unix")


def strip_active_content(pdf: pikepdf.Pdf) -> bool:
    """Remove active content in place.

    Links to web pages and within the document, layers, form fields and passive attachments stay.

    Returns:
        True if there was any.
    """
    found = _strip_catalog(pdf.Root)
    for each in (pdf.trailer, *pdf.objects):
        if _MARK.search(_written(each)):
            found |= _strip_object(each) or (_is_entries(each) and _is_forbidden(each))
    if found:  # then every reference to what is forbidden has to go
        for each in (pdf.trailer, *pdf.objects):
            _strip_object(each)
    return found


def _written(value: pikepdf.Object) -> bytes:
    """Return an object as the file has it, without what it refers to. This takes a tenth of a walk's time."""
    return (value.stream_dict if isinstance(value, pikepdf.Stream) else value).unparse(resolved=True)


def _strip_catalog(root: pikepdf.Object) -> bool:
    found = False
    opening = root.get("/OpenAction")
    if _is_entries(opening) and (_kind(opening) != "GoTo" or "/Next" in opening):
        found |= _drop(root, "/OpenAction")
    names = root.get("/Names")
    if _is_entries(names):
        found |= _drop(names, "/JavaScript", "/Renditions", "/AlternatePresentations")
        found |= _strip_attachments(names)
    form = root.get("/AcroForm")
    if _is_entries(form):
        found |= _drop(form, "/XFA")
    return found


def _strip_attachments(names: pikepdf.Object) -> bool:
    """Remove entries whose files do not stay, and the whole tree if it can't be read."""
    if "/EmbeddedFiles" not in names:
        return False
    try:
        tree = pikepdf.NameTree(names["/EmbeddedFiles"])
        removed = [name for name, file in tree.items() if not _is_entries(file) or _is_active_file(file)]
        for name in removed:
            del tree[name]
    except (pikepdf.PdfError, ValueError, TypeError, KeyError, RuntimeError):
        return _drop(names, "/EmbeddedFiles")
    return bool(removed)


def _strip_object(holder: pikepdf.Object) -> bool:
    """Strip one object with the direct objects in it. Indirect ones are stripped by themselves."""
    found = False
    pending = [holder]
    while pending:
        each = pending.pop()
        if _is_entries(each):
            found |= _strip_entries(each)
            values = list(each.values())
        elif isinstance(each, pikepdf.Array):
            found |= _strip_array(each)
            values = list(each)
        else:
            continue
        pending += (value for value in values if not getattr(value, "is_indirect", True))
    return found


def _strip_entries(entries: pikepdf.Object) -> bool:
    found = False
    for key, value in list(entries.items()):
        if key != "/Length" and _is_entries(value) and _is_forbidden(value):  # qpdf keeps a stream's length
            del entries[key]
            found = True
    events = entries.get("/AA")
    if _is_entries(events):  # run by events, such as opening a page: not even a link may do so
        found |= _drop(events, *(key for key, value in events.items() if _kind(value) in _ACTIONS))
    subtype = entries.get("/Subtype")
    if isinstance(subtype, pikepdf.Name):
        found |= _drop(entries, *_MEDIA_KEYS.get(str(subtype), ()))
        if subtype == pikepdf.Name.Form:
            found |= _drop(entries, "/Ref")  # a page of another file instead of the form
    if isinstance(entries, pikepdf.Stream):
        found |= _drop(entries, "/OnInstantiate")  # the script of a 3D model
    return found


def _strip_array(array: pikepdf.Array) -> bool:
    forbidden = [place for place, each in enumerate(array) if _is_entries(each) and _is_forbidden(each)]
    for place in reversed(forbidden):
        del array[place]
    return bool(forbidden)


def _is_entries(value: object) -> TypeGuard[pikepdf.Object]:
    """Return whether a value is a dictionary. Some readers take a stream's dictionary for one."""
    return isinstance(value, pikepdf.Dictionary | pikepdf.Stream)


def _kind(value: object) -> str:
    """Return an action's type; empty for other values. Some readers take a string for the name."""
    return _text(value.get("/S")) if _is_entries(value) else ""


def _text(value: object) -> str:
    if isinstance(value, pikepdf.Name):
        return str(value).removeprefix("/")
    return str(value) if isinstance(value, pikepdf.String) else ""


def _is_forbidden(value: pikepdf.Object) -> bool:
    """Return whether a dictionary is an action or an embedded file that must not stay."""
    return _is_active_file(value) or _is_forbidden_action(value)


def _is_forbidden_action(action: pikepdf.Object) -> bool:
    kind = _kind(action)
    if kind == "URI":
        return not _is_web_address(_text(action.get("/URI")))
    if kind == "Named":
        return _text(action.get("/N")) not in _HARMLESS_COMMANDS
    if kind == "Thread":
        return "/F" in action
    return kind in _FORBIDDEN


def _is_web_address(address: str) -> bool:
    """Return whether an address is relative or of a harmless scheme.

    A Windows share (`\\\\host\\share`) is neither: to open it sends the host a proof of the password.
    """
    written = _NOT_PRINTED.sub("", address).lower().replace("\\", "/")
    scheme = _SCHEME.match(written)
    return scheme[1] in _SAFE_SCHEMES if scheme else not written.startswith("//")


def _is_active_file(file: pikepdf.Object) -> bool:
    """Return whether this is an embedded file that a usual program may run, by any of its names."""
    embedded = file.get("/EF")
    if not isinstance(embedded, pikepdf.Dictionary) or not any(name in embedded for name in _FILE_NAMES):
        return False
    names = [_text(file.get(name)) for name in _FILE_NAMES if name in file]
    return not names or not all(map(_is_passive, names))


def _is_passive(name: str) -> bool:
    """Return whether every system sees the same harmless extension in a file's name.

    C programs end `x.exe\\0.xml` at the null, Windows `x.exe:.xml` at the colon, and a mark of the writing
    direction shows an extension that the file does not have.
    """
    _, dot, extension = name.rpartition(".")
    return bool(dot) and extension.lower() in _PASSIVE_FILES and name.isprintable() and ":" not in name


def _drop(entries: pikepdf.Object, *keys: str) -> bool:
    there = [key for key in keys if key in entries]
    for key in there:
        del entries[key]
    return bool(there)
