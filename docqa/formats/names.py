"""What the names and media types of files promise: which kind of file it is."""

import re

_IMAGES = (".png", ".jpg", ".jpeg", ".tiff", ".tif", ".webp", ".gif", ".bmp")
SUFFIXES = (
    *(".pdf", ".txt", ".ppt", ".pptx", ".odp", ".csv", ".epub", ".rtf", ".docx", ".odt", ".doc"),
    *(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".md", ".markdown", ".html", ".htm", ".xhtml", ".json", ".jsonl"),
    *(".xml", ".tsv", ".log", ".yaml", ".yml", ".eml", ".mbox", ".msg", *_IMAGES),
)
MESSAGES = ("eml", "msg")  # kinds of documents that are one message, with its head above the text
OF_ROWS = ("csv", "xlsx", "xls", "ods")  # kinds of documents that are tables, rather than hold some
# Suffixes whose kind has another name.
_SAME = {
    "markdown": "md", "htm": "html", "xhtml": "html", "jsonl": "json", "tsv": "csv",
    "log": "txt", "yaml": "txt", "yml": "txt", "xlsm": "xlsx", "xlsb": "xls",
    **{suffix[1:]: "image" for suffix in _IMAGES},
}  # fmt: skip
_OPEN_XML = "application/vnd.openxmlformats-officedocument"
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument"
_MEDIA_TYPES = {
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "application/rtf": "rtf",
    "application/x-rtf": "rtf",
    "text/rtf": "rtf",
    "text/csv": "csv",
    "application/csv": "csv",
    "text/tab-separated-values": "csv",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "md",
    "text/x-markdown": "md",
    "application/json": "json",
    "application/ld+json": "json",
    "application/x-ndjson": "json",
    "application/jsonl": "json",
    "application/geo+json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    "message/rfc822": "eml",
    "application/mbox": "mbox",
    "application/vnd.ms-outlook": "msg",
    "application/epub+zip": "epub",
    f"{_OPEN_XML}.wordprocessingml.document": "docx",
    f"{_OPEN_XML}.wordprocessingml.template": "docx",
    "application/vnd.ms-word.document.macroenabled.12": "docx",
    f"{_OPEN_DOCUMENT}.text": "odt",
    f"{_OPEN_DOCUMENT}.text-template": "odt",
    "application/msword": "doc",
    f"{_OPEN_XML}.spreadsheetml.sheet": "xlsx",
    "application/vnd.ms-excel.sheet.macroenabled.12": "xlsx",
    "application/vnd.ms-excel.sheet.binary.macroenabled.12": "xls",
    "application/vnd.ms-excel": "xls",
    f"{_OPEN_DOCUMENT}.spreadsheet": "ods",
    **dict.fromkeys(("image/png", "image/jpeg", "image/tiff", "image/webp", "image/gif", "image/bmp"), "image"),
    f"{_OPEN_DOCUMENT}.presentation": "odp",
    f"{_OPEN_DOCUMENT}.presentation-template": "odp",
    f"{_OPEN_XML}.presentationml.presentation": "pptx",
    f"{_OPEN_XML}.presentationml.slideshow": "pptx",
    "application/vnd.ms-powerpoint": "ppt",
}
_TEXT = re.compile(
    r"text/.+|application/(?:.+\+)?(?:json|xml|yaml|x-yaml|toml|sql|javascript|x-javascript|x-sh|x-tex|x-ndjson)"
)


def media_types() -> list[str]:
    """The media types that files of the kinds we read have, in order."""
    return sorted(_MEDIA_TYPES)


def kind_named(suffix: str) -> str:
    """The kind that a suffix (`.htm`, in lower case) stands for, "" if files with it are not served."""
    return _SAME.get(suffix[1:], suffix[1:]) if suffix in SUFFIXES else ""


def kind_promised(suffix: str, media_type: str) -> str:
    """The kind that a media type, or else a suffix, says; "" for one that is not served. A type of text is "txt"."""
    return _MEDIA_TYPES.get(media_type) or kind_named(suffix) or _of_text(media_type)


def _of_text(media_type: str) -> str:
    if media_type.endswith(("+json", "+xml")):
        return media_type.rpartition("+")[2]
    return "txt" if _TEXT.fullmatch(media_type) else ""
