"""The guides and their pictures, as the server shows them: their order, and HTML made of their Markdown."""

import re
from functools import cache
from html import escape
from importlib.resources import files

SECTIONS = {
    "Use it": ("start", "page", "commands", "answers", "formats"),
    "Set it up": ("models", "providers", "settings", "keys", "offline"),
    "From programs": ("api", "programs"),
    "Keep it": ("deployment", "backup", "growth"),
    "Know it": ("internals", "figures", "compared"),
}
NAMES = tuple(name for section in SECTIONS.values() for name in section)
_FOLDER = files(__name__.rpartition(".")[0])
_LINK = re.compile(r"(\w+)\.md(#.*)?")


def source(name: str) -> str:
    """The Markdown of a guide of NAMES."""
    return _FOLDER.joinpath(f"{name}.md").read_text(encoding="utf-8")


def title(name: str) -> str:
    """The heading of a guide, which is its first line."""
    return source(name).partition("\n")[0].removeprefix("# ")


@cache
def pictures() -> dict[str, bytes]:
    """The pictures that guides show, PNG and SVG files, by name."""
    return {file.name: file.read_bytes() for file in _FOLDER.joinpath("pictures").iterdir()}


@cache
def body(name: str) -> str:
    """A guide as HTML. Takes some milliseconds the first time."""
    # Half of what a start takes to import it would be for a page that few starts are asked for.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(source(name))
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _anchor(tokens[number + 1].content))
        for part in token.children or ():
            if part.type == "link_open" and (link := _LINK.fullmatch(str(part.attrs["href"]))):
                part.attrSet("href", f"/help/{link[1]}{link[2] or ''}")
            elif part.type == "image":
                part.attrSet("src", f"/help/{part.attrs['src']}")
    html = str(parser.renderer.render(tokens, parser.options, {}))
    return html.replace("<pre>", '<pre tabindex="0">')  # a wide one is scrolled by keys too


@cache
def contents() -> str:
    """The list of all guides, as HTML: each with its first paragraph."""
    return "<h1>Guides</h1>" + "".join(
        f"<h2>{escape(heading)}</h2><dl>{''.join(map(_entry, names))}</dl>" for heading, names in SECTIONS.items()
    )


@cache
def links(current: str) -> str:
    """Links to all guides, as HTML items; that of the `current` one says so."""
    marked = {current: ' aria-current="page"'}
    return "".join(f'<li><a href="/help/{name}"{marked.get(name, "")}>{escape(title(name))}</a>' for name in NAMES)


def _entry(name: str) -> str:
    paragraph = re.search(r"<p>.*?</p>", body(name), re.DOTALL)
    assert paragraph, f"the guide {name} begins without a word"
    return f'<dt><a href="/help/{name}">{escape(title(name))}</a></dt><dd>{paragraph[0]}</dd>'


def _anchor(heading: str) -> str:
    """The fragment that leads to a heading, as forges make it: "Local models" is at `#local-models`."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
