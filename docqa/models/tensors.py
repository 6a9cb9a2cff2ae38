"""The numbers in a safetensors file, mapped: a page of it is in memory once it is looked at, and until it is put away.

The library safetensors copies what it reads, and knows numpy's types only. Format: a length, JSON with a type, a shape
and a place for each name, and the numbers (https://github.com/huggingface/safetensors#format).
"""

import json
import mmap
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]

_LENGTH = struct.Struct("<Q")  # of the JSON
_TYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2", "I8": "<i1", "I64": "<i8"}
_ALIGNED = 64  # bytes: where the numbers begin in a file that is written here


class Tensors(Mapping[str, NDArray[Any]]):
    """The arrays of a file by name, and what it says of itself; bfloat16 as float32, which holds the same numbers.

    Raises ValueError for a damaged file, KeyError for a type that no model here has, OSError.
    """

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                # A copy of each page that is written to, which none is: openvino takes no array that cannot be.
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
            (length,) = _LENGTH.unpack(self._map[: _LENGTH.size])
            self._start = _LENGTH.size + length
            self._described: dict[str, Any] = json.loads(self._map[_LENGTH.size : self._start])
            self.about: dict[str, str] = self._described.pop("__metadata__", {})
            places = [described["data_offsets"] for described in self._described.values()]
            if not all(0 <= first <= last <= len(self._map) - self._start for first, last in places):
                raise ValueError("numbers are missing")
        except (ValueError, LookupError, TypeError, AttributeError, struct.error) as error:
            raise ValueError(f"{path} is damaged, or no safetensors file ({error}); get it again") from error

    def __getitem__(self, name: str) -> NDArray[Any]:
        described = self._described[name]
        first, last = described["data_offsets"]
        kind = np.dtype(_TYPES[described["dtype"]])
        numbers = np.frombuffer(self._map, kind, (last - first) // kind.itemsize, self._start + first)
        if described["dtype"] == "BF16":
            numbers = (numbers.astype("<u4") << 16).view("<f4")
        return numbers.reshape(described["shape"])

    def __contains__(self, name: object) -> bool:
        return name in self._described

    def __iter__(self) -> Iterator[str]:
        return iter(self._described)

    def __len__(self) -> int:
        return len(self._described)

    def put_away(self) -> None:
        """Let the system have the memory: what is looked at again is read from the file again."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)


def write(path: Path, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, str]) -> None:
    """Write arrays of float32 and int8 as such a file. Raises OSError."""
    names = {np.dtype(kind): name for name, kind in _TYPES.items() if name != "BF16"}
    described: dict[str, Any] = {"__metadata__": dict(about)}
    end = 0
    for name, numbers in arrays.items():
        described[name] = {
            "dtype": names[numbers.dtype],
            "shape": numbers.shape,
            "data_offsets": [end, end + numbers.nbytes],
        }
        end += numbers.nbytes
    header = json.dumps(described).encode()
    header += b" " * (-(len(header) + _LENGTH.size) % _ALIGNED)
    with path.open("wb") as file:
        file.write(_LENGTH.pack(len(header)) + header)
        for numbers in arrays.values():
            file.write(np.ascontiguousarray(numbers).data)
