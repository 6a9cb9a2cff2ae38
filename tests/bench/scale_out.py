"""10 and 100 million passages over several machines, by simulation: python tests/bench/scale_out.py [--scan-ms X] ...

Nothing is started here. The sizes of engines are those of their documentation, all else is from measurements of this
program, which the options take: `tests/bench/` says how each is made. Questions arrive at random, each asks every
machine that holds a part, and waits for the slowest; a machine works on as many as it has cores, in order.
"""

import argparse
import heapq
import math
import random
from collections.abc import Callable
from dataclasses import dataclass

QUESTIONS = 20_000  # simulated
NOISE = 0.3  # the standard deviation of the logarithm of the time that the same work takes
REPLICAS = 2  # every passage on two machines: one may fail


@dataclass(frozen=True)
class Engine:
    """How one keeps vectors: bytes of memory for each, and whether all are compared, or as many as a graph leads to."""

    name: str
    memory: Callable[[int], float]  # of the dimension
    scans: bool


ENGINES = (
    # The index of two bits a number, as here today, on each machine: 186 MB were measured for a million of 384.
    Engine("two bits scanned, as today", lambda dimension: dimension * 186 / 384, True),
    # pgvector: a bit vector has dimension / 8 + 8 bytes; a graph of m = 16 has 2 m links at the bottom, 6 bytes each.
    Engine("PostgreSQL, pgvector (bits, HNSW)", lambda dimension: dimension / 8 + 8 + 32 * 6, False),
    # Qdrant's own formula for all in memory: dimension x 4 bytes x 1.5.
    Engine("Qdrant, float32 in memory", lambda dimension: dimension * 4 * 1.5, False),
    # Vespa: an int8 for each dimension, and the links of a graph of 16, 4 bytes each, twice that at the bottom.
    Engine("Vespa, int8 in memory", lambda dimension: dimension + 32 * 4, False),
)


def simulated(machines: int, cores: int, work: float, rate: float) -> tuple[float, float]:
    """(p50, p95) in seconds of questions that arrive at a `rate` a second and take `work` seconds of a core on each."""
    dice = random.Random(7)
    free = [[0.0] * cores for _ in range(machines)]
    now, waited = 0.0, []
    for _ in range(QUESTIONS):
        now += dice.expovariate(rate)
        ended = now
        for machine in free:
            begins = max(now, heapq.heappop(machine))
            end = begins + work * dice.lognormvariate(-NOISE * NOISE / 2, NOISE)
            heapq.heappush(machine, end)
            ended = max(ended, end)
        waited.append(ended - now)
    waited.sort()
    return waited[len(waited) // 2], waited[int(0.95 * len(waited))]


def main() -> None:
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--passage-kb", type=float, default=6.0, help="on the disk for each passage, all in all")
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--scan-ms", type=float, default=36.0, help="a search among a million passages, on one core")
    parser.add_argument("--graph-ms", type=float, default=5.0, help="a graph search with full text, on one core")
    parser.add_argument("--embed", type=float, default=19.0, help="passages a second and core, embedded")
    parser.add_argument("--rate", type=float, default=20.0, help="questions a second")
    parser.add_argument("--cores", type=int, default=16, help="of a machine")
    parser.add_argument("--memory-gb", type=float, default=64.0, help="of a machine")
    given = parser.parse_args()
    print(f"{given}\n")
    print(
        "| passages | engine | memory for vectors, GB | disk, TB | machines | p50, ms | p95, ms |\n|---|---|---|---|---|---|---|"
    )
    for passages in (10_000_000, 100_000_000):
        for engine in ENGINES:
            memory = passages * engine.memory(given.dimension) * REPLICAS / 1e9
            disk = passages * given.passage_kb * 1000 * REPLICAS / 1e12
            # Half of a machine's memory is for the system's cache of what stays on the disk, and cores may be half busy.
            for_memory = math.ceil(memory / (given.memory_gb / 2))
            core_seconds = passages / 1e6 * given.scan_ms / 1000 if engine.scans else given.graph_ms / 1000
            for_work = math.ceil(core_seconds * given.rate / (given.cores / 2)) if engine.scans else 1
            parts = max(1, math.ceil(for_memory / REPLICAS), math.ceil(for_work / REPLICAS))
            work = core_seconds / parts if engine.scans else core_seconds
            p50, p95 = simulated(parts, given.cores, work, given.rate / REPLICAS)
            print(
                f"| {passages / 1e6:.0f} million | {engine.name} | {memory:.0f} | {disk:.1f} | {parts * REPLICAS} "
                f"| {1000 * p50:.0f} | {1000 * p95:.0f} |"
            )
        hours = passages / given.embed / 3600
        print(
            f"\nTo embed {passages / 1e6:.0f} million: {hours:.0f} hours of a core, {hours / 24 / given.cores:.1f} days of a machine.\n"
        )


if __name__ == "__main__":
    main()
