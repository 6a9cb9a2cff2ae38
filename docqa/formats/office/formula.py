"""A formula of an Office document (ECMA-376 part 1, 22.1) → one line, as it would be typed: x^2, a/(b+c), √(x)."""

from typing import Any

# What precedes a part of a formula that only the layout sets apart.
_MARKS = {"num": "", "den": "/", "sub": "_", "sup": "^", "lim": "_"}


def formula(node: Any) -> str:
    """The text of an element of the math namespace and of everything below it."""
    name = _name(node)
    if name == "t":
        return node.text or ""
    parts = [formula(child) for child in node if isinstance(child.tag, str) and not _name(child).endswith("Pr")]
    text = "".join(parts)
    match name:
        case "d":
            return (
                _setting(node, "begChr", "(")
                + _setting(node, "sepChr", "|").join(parts)
                + _setting(node, "endChr", ")")
            )
        case "nary":
            return _setting(node, "chr", "∫") + text
        case "rad":
            return f"{''.join(parts[:-1])}√{_operand(parts[-1])}" if parts else ""
        case "mr":
            return " ".join(parts)
        case "m" | "eqArr":
            return "; ".join(parts)
        case "fName":
            return f"{text} "
    return _MARKS[name] + _operand(text) if name in _MARKS and text else text


def _name(node: Any) -> str:
    return str(node.tag).rpartition("}")[2]


def _setting(node: Any, name: str, default: str) -> str:
    """A character that the formula's properties set; the empty string if the property has no value."""
    setting = next(node.iterfind("{*}*/{*}" + name), None)
    return default if setting is None else next((value for key, value in setting.items() if key.endswith("val")), "")


def _operand(text: str) -> str:
    is_one = len(text) == 1 or text.replace(".", "").isdecimal() or text.startswith("(") and text.endswith(")")
    return text if is_one else f"({text})"
