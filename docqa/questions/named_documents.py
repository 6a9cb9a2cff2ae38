"""Which documents a question names by words of their file names: "the notice period in the Hartmann lease" names Lease_Hartmann_2021.pdf.

A word that most of the names have tells none of them from another and does not count. A name is not understood: "the contract" names no lease.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import PurePath

from docqa.text.detect import is_function_word
from docqa.text.words import terms

_COMMON = 0.5  # of the names


def named_by(asked: Collection[str], names: Mapping[int, str]) -> dict[int, frozenset[str]]:
    """The search terms of a question by which it names some of the documents, given by their ids."""
    shared = {id_: _name_terms(name).intersection(asked) for id_, name in names.items()}
    often = len(names) * _COMMON
    telling = {term for term in asked if len(names) == 1 or sum(term in found for found in shared.values()) <= often}
    return {id_: found & telling for id_, found in shared.items() if found & telling}


@lru_cache(4096)
def _name_terms(name: str) -> frozenset[str]:
    return frozenset(term for term in terms(PurePath(name).stem) if len(term) > 1 and not is_function_word(term))
