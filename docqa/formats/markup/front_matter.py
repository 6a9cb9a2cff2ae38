"""What stands before a Markdown text between two lines of `---` (YAML) or `+++` (TOML): its title, author and date.

Of YAML only the keys at the margin are read, with values on their line or listed below it.
"""

import re
import tomllib

from docqa.formats.properties import Properties

_LONGEST = 20_000
_BLOCK = re.compile(r"(---|\+\+\+)[ \t]*\n(.*?\n)??(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_YAML = re.compile(r"^(\w[\w -]*):[ \t]*(.*)((?:\n[ \t]*- .*)*)", re.MULTILINE)
_KEY = re.compile(r"\w[\w -]*[:=]")
_AUTHORS = ("author", "authors", "by")
_DATES = ("date", "published", "created", "updated", "last_updated", "lastmod", "last_modified_at")


def split(text: str) -> tuple[str, str, Properties]:
    """The front matter without its marks ("" if there is none), the text after it, and what it says of the text."""
    block = _BLOCK.match(text[:_LONGEST])
    if block is None or not block[2] or not _KEY.match(block[2].lstrip()):
        return "", text, Properties()
    known = _toml(block[2]) if block[1] == "+++" else _yaml(block[2])
    author, date = (next((known[key] for key in keys if known.get(key)), "") for keys in (_AUTHORS, _DATES))
    return block[2].strip("\n"), text[block.end() :], Properties.of(known.get("title", ""), author, date)


def _yaml(source: str) -> dict[str, str]:
    known = {}
    for key, value, listed in _YAML.findall(source):
        items = [_bare(item) for item in listed.split("\n")] if listed else value.strip(" []").split(",")
        plain = value[:1] not in "[" or listed
        known[key.strip().lower()] = (
            _bare(value) if plain and not listed else ", ".join(filter(None, map(_bare, items)))
        )
    return known


def _bare(value: str) -> str:
    """A YAML value without its list mark, its quotes and a remark."""
    value = re.sub(r"^\s*- ", "", value).strip()
    if value[:1] in "\"'" and value.endswith(value[:1]) and len(value) > 1:
        return value[1:-1]
    return re.sub(r"\s+#.*", "", re.sub(r"^(?:name:\s*|[|>][+-]?$)", "", value)).strip("\"'")


def _toml(source: str) -> dict[str, str]:
    try:
        known = tomllib.loads(source)
    except tomllib.TOMLDecodeError:
        return {}
    return {
        key.lower(): ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        for key, value in known.items()
        if not isinstance(value, dict)
    }
