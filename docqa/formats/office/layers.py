"""What styles set in layers: each says something, or leaves it to the one that it is based on."""

from dataclasses import dataclass, fields, replace
from typing import Self


@dataclass(frozen=True)
class Layer:
    """What a style sets, None where it says nothing. `names` are those of the styles, own first."""

    names: tuple[str, ...] = ()

    def over(self, below: Self) -> Self:
        """This layer where it says something, else the one below."""
        set_here = {
            field.name: value
            for field in fields(self)
            if field.name != "names" and (value := getattr(self, field.name)) is not None
        }
        return replace(below, names=self.names + below.names, **set_here)
