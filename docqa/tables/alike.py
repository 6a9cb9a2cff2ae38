"""Which phrases of a question mean what a name in a table means, by an embedding model; nothing where none is loaded
that knows the language. Vectors of names are kept, as the same tables are asked again and again."""

from collections import OrderedDict
from collections.abc import Sequence

from docqa import store
from docqa.errors import Unavailable
from docqa.models.embedder import Embedder
from docqa.store.sql import Connection

MOST_KEPT = 8_000  # vectors, 1.5 kB each
MOST_NEW = 400  # texts encoded for one question

_kept: OrderedDict[tuple[str, str], bytes] = OrderedDict()


async def vectors(embedder: Embedder, texts: Sequence[str], most_new: int = MOST_NEW) -> dict[str, bytes]:
    """The vectors of these texts; none of those beyond `most_new` that are not known yet, and only the known ones where
    the model has ended."""
    keys = {text: (embedder.sha256, text) for text in dict.fromkeys(texts) if text.strip()}
    new = [text for text, place in keys.items() if place not in _kept][:most_new]
    if new:
        try:
            encoded = await embedder.encode(new, urgent=True)
        except Unavailable:
            new, encoded = [], []  # the background work loads it again; words still compare
        for text, vector in zip(new, encoded, strict=True):
            _kept[keys[text]] = vector
    known_vectors = {}
    for text, place in keys.items():
        if place in _kept:
            _kept.move_to_end(place)
            known_vectors[text] = _kept[place]
    while len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)
    return known_vectors


async def cosines(
    conn: Connection,
    embedder: Embedder,
    phrases: Sequence[str],
    names: Sequence[str],
    known: dict[str, bytes],
    least: float,
) -> dict[str, list[tuple[int, float]]]:
    """Of each phrase the names, by their index, that are at least so near to it, nearest first."""
    own = [phrase for phrase in phrases if phrase in known]
    places = [index for index, name in enumerate(names) if name in known]
    some, others = (b"".join(map(known.__getitem__, texts)) for texts in (own, [names[index] for index in places]))
    near: dict[str, list[tuple[int, float]]] = {}
    rows = await store.nearest.cosines(conn, some, others, embedder.dimension)
    for phrase, of_names in zip(own, rows, strict=True):
        scored = zip(places, map(embedder.scaled_name, of_names), strict=True)
        if fitting := sorted((pair for pair in scored if pair[1] >= least), key=lambda pair: -pair[1]):
            near[phrase] = fitting
    return near
