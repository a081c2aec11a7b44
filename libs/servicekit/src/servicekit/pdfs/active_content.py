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
# All action types of ISO 32000-2 (table 201) and two of earlier versions.
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

_HARMLESS_COMMANDS: Final = frozenset(["NextPage", "PrevPage", "FirstPage", "LastPage"])
_SAFE_SCHEMES: Final = frozenset(("http", "https", "mailto", "tel"))
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):")
_NOT_PRINTED: Final = re.compile(r"[\x00-\x20\x7f-\xa0]+")

# Keys with the media of annotations, by subtype. Their appearance stays.
_MEDIA_KEYS: Final = {
    "/RichMedia": ("/RichMediaContent", "/RichMediaSettings"),
    "/Movie": ("/Movie",),
    "/Sound": ("/Sound",),
    "/3D": ("/3DD", "/3DA"),
}

# Extensions of embedded files that stay, such as a tax document's XML: no usual program runs them.
_PASSIVE_FILES: Final = frozenset(["xml", "txt", "csv", "json", "png", "jpg", "jpeg", "tif", "tiff"])

# Text of objects that are active or contain active content.
#
# A type may also be a string or a separate object.
_MARK: Final = re.compile(
    rb"/(?:%b|URI|Named|Thread|AA|EF|Ref|OnInstantiate|%b)\b|/S *[(<0-9]|/Subtype *[0-9]"
    % ("|".join(sorted(_FORBIDDEN)).encode(), "|".join(key[1:] for key in _MEDIA_KEYS).encode())
)

_FILE_NAMES: Final = ("/UF", "/F", "/DOS", "/Mac", "/Unix")


def strip_active_content(pdf: pikepdf.Pdf) -> bool:
    """Remove active content in place.

    Links to web pages and within the document, layers, form fields and passive attachments stay.

    Returns:
        True if there was any.
    """
    is_changed = _strip_catalog(pdf.Root)
    for each in (pdf.trailer, *pdf.objects):
        if _MARK.search(_written(each)):
            is_changed |= _strip_object(each) or (_is_entries(each) and _is_forbidden(each))
    if is_changed:  # then remove every reference to forbidden content
        for each in (pdf.trailer, *pdf.objects):
            _strip_object(each)
    return is_changed


def _written(value: pikepdf.Object) -> bytes:
    """Return an object as in the file, without its references. This takes a tenth of the time of a walk."""
    return (value.stream_dict if isinstance(value, pikepdf.Stream) else value).unparse(resolved=True)


def _strip_catalog(root: pikepdf.Object) -> bool:
    is_changed = False
    opening = root.get("/OpenAction")
    if _is_entries(opening) and (_kind(opening) != "GoTo" or "/Next" in opening):
        is_changed |= _drop(root, "/OpenAction")
    names = root.get("/Names")
    if _is_entries(names):
        is_changed |= _drop(names, "/JavaScript", "/Renditions", "/AlternatePresentations")
        is_changed |= _strip_attachments(names)
    form = root.get("/AcroForm")
    if _is_entries(form):
        is_changed |= _drop(form, "/XFA")
    return is_changed


def _strip_attachments(names: pikepdf.Object) -> bool:
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
    is_changed = False
    pending = [holder]
    while pending:
        each = pending.pop()
        if _is_entries(each):
            is_changed |= _strip_entries(each)
            values = list(each.values())
        elif isinstance(each, pikepdf.Array):
            is_changed |= _strip_array(each)
            values = list(each)
        else:
            continue
        pending += (value for value in values if not getattr(value, "is_indirect", True))
    return is_changed


def _strip_entries(entries: pikepdf.Object) -> bool:
    is_changed = False
    for key, value in list(entries.items()):
        # qpdf sets the length of a stream itself
        if key != "/Length" and _is_entries(value) and _is_forbidden(value):
            del entries[key]
            is_changed = True
    events = entries.get("/AA")
    # Events such as opening a page run this action without a click, so even a link is forbidden.
    if _is_entries(events):
        is_changed |= _drop(events, *(key for key, value in events.items() if _kind(value) in _ACTIONS))
    subtype = entries.get("/Subtype")
    if isinstance(subtype, pikepdf.Name):
        is_changed |= _drop(entries, *_MEDIA_KEYS.get(str(subtype), ()))
        if subtype == pikepdf.Name.Form:
            is_changed |= _drop(entries, "/Ref")  # a page of another file instead of the form
    if isinstance(entries, pikepdf.Stream):
        is_changed |= _drop(entries, "/OnInstantiate")  # the script of a 3D model
    return is_changed


def _strip_array(array: pikepdf.Array) -> bool:
    forbidden = [place for place, each in enumerate(array) if _is_entries(each) and _is_forbidden(each)]
    for place in reversed(forbidden):
        del array[place]
    return bool(forbidden)


def _is_entries(value: object) -> TypeGuard[pikepdf.Object]:
    return isinstance(value, pikepdf.Dictionary | pikepdf.Stream)


def _kind(value: object) -> str:
    """Return an action's type; empty for other values. Some readers take a string for the name."""
    return _text(value.get("/S")) if _is_entries(value) else ""


def _text(value: object) -> str:
    if isinstance(value, pikepdf.Name):
        return str(value).removeprefix("/")
    return str(value) if isinstance(value, pikepdf.String) else ""


def _is_forbidden(value: pikepdf.Object) -> bool:
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
    """Return whether an address is relative or of a harmless scheme."""
    # A Windows share (`\\host\share`) is neither: opening it sends the host a proof of the password.
    written = _NOT_PRINTED.sub("", address).lower().replace("\\", "/")
    scheme = _SCHEME.match(written)
    return scheme[1] in _SAFE_SCHEMES if scheme else not written.startswith("//")


def _is_active_file(file: pikepdf.Object) -> bool:
    embedded = file.get("/EF")
    if not isinstance(embedded, pikepdf.Dictionary) or not any(name in embedded for name in _FILE_NAMES):
        return False
    names = [_text(file.get(name)) for name in _FILE_NAMES if name in file]
    return not names or not all(map(_is_passive, names))


def _is_passive(name: str) -> bool:
    """Return whether every system sees the same harmless extension in a file's name."""
    # C programs end `x.exe\0.xml` at the null, Windows `x.exe:.xml` at the colon, and a direction mark
    # displays an extension that the file does not have.
    _, dot, extension = name.rpartition(".")
    return bool(dot) and extension.lower() in _PASSIVE_FILES and name.isprintable() and ":" not in name


def _drop(entries: pikepdf.Object, *keys: str) -> bool:
    present = [key for key in keys if key in entries]
    for key in present:
        del entries[key]
    return bool(present)
