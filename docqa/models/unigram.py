"""Words as pieces of a Unigram vocabulary (Kudo, "Subword regularization", 2018), as the library tokenizers cuts them.

The library's own trie of the 250,000 pieces of 94 languages takes 0.3 GB, and a second to make. Here they are keys of a
dictionary, of 40 MB; all else is the library's: normalisation, where words begin, truncation, pairs, offsets.
"""

import json
import math
from array import array
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tokenizers import PreTokenizedString, Token, Tokenizer
from tokenizers.pre_tokenizers import PreTokenizer
from tokenizers.pre_tokenizers import Sequence as InTurn

_UNKNOWN_BELOW = 10.0  # the library's: so far below the least score is a character that no piece has
_WORDS = 4096  # whose pieces are remembered, 6 MB: two thirds of those of a text


def tokenizer(file: Path) -> Tokenizer:
    """The tokenizer in a file of the library, with little memory where it is of this kind."""
    text = file.read_text("utf-8")
    described = json.loads(text)
    model = described["model"]
    if model.get("type") != "Unigram" or model.get("unk_id") is None or model.get("byte_fallback"):
        return Tokenizer.from_str(text)
    pieces, unknown = model["vocab"], model["unk_id"]
    special = {token["content"]: token["id"] for token in described["added_tokens"]}
    described["model"] = {"type": "WordLevel", "vocab": special, "unk_token": pieces[unknown][0]}
    made = Tokenizer.from_str(json.dumps(described))
    cut: Any = PreTokenizer.custom(Pieces(pieces, unknown))
    made.pre_tokenizer = InTurn([*([made.pre_tokenizer] if made.pre_tokenizer else []), cut])
    return made


class Pieces:
    """The last step before the model of a tokenizer, to which it leaves nothing: each word is cut into the pieces whose
    scores have the largest sum, of all `pieces` with their scores, by the number of each; `unknown` is that of what no
    piece has."""

    def __init__(self, pieces: Sequence[tuple[str, float]], unknown: int) -> None:
        self._scores = array("d", (score for _, score in pieces))
        # Copies, side by side: those of the parsed file lie between what else it held, which thereby kept 30 MB.
        copies = [piece.encode().decode() for piece, _ in pieces]
        self._numbers = {piece: number for number, piece in enumerate(copies)}
        self._longest = max(map(len, copies))
        self._unknown, self._unknown_score = unknown, min(self._scores) - _UNKNOWN_BELOW
        self._remembered = lru_cache(_WORDS)(self._cut)

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        """Cut the words of a text. Called by the library."""
        text.tokenize(self._remembered)

    def _cut(self, word: str) -> list[Token]:
        """Viterbi's algorithm: of what ends at each character, the best last piece."""
        numbers, scores, size = self._numbers, self._scores, len(word)
        best = [0.0, *[-math.inf] * size]
        last = [(0, self._unknown)] * (size + 1)  # where it begins, and its number
        for start in range(size):
            reached = best[start]
            for end in range(start + 1, min(start + self._longest, size) + 1):
                number = numbers.get(word[start:end])
                if number is not None and (score := reached + scores[number]) > best[end]:
                    best[end], last[end] = score, (start, number)
            if word[start] not in numbers and (score := reached + self._unknown_score) > best[start + 1]:
                best[start + 1], last[start + 1] = score, (start, self._unknown)
        return self._tokens(word, last)

    def _tokens(self, word: str, last: Sequence[tuple[int, int]]) -> list[Token]:
        """The pieces from the last one backwards, those in a row that are unknown as one."""
        cuts: list[tuple[int, int, int]] = []
        end = len(word)
        while end:
            start, number = last[end]
            if number == self._unknown and cuts and cuts[-1][0] == number:
                cuts[-1] = number, start, cuts[-1][2]
            else:
                cuts.append((number, start, end))
            end = start
        tokens, place = [], 0  # in bytes of UTF-8
        for number, start, end in reversed(cuts):
            piece = word[start:end]
            length = len(piece.encode())
            tokens.append(Token(number, piece, (place, place + length)))
            place += length
        return tokens
