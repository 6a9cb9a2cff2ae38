"""A local model beside bare llama.cpp, and how soon the second question of a chat is answered: python
tests/bench/local.py [--model NAME] [--chats N]

Reading and writing are measured in turns in one run, ours through the child process, as tokens a second and as a ratio.
The chats are those of tests/files/agent, asked over HTTP with the model's own answers as history: seconds to the first
word of the first and
of the second question. A chat of your own: --document FILE --ask QUESTION QUESTION ...
"""

import argparse
import asyncio
import ctypes
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from conftest import FILES, start_server, stop_server
from docqa.catalog.catalog import Catalog
from docqa.catalog.machine import find_machine
from docqa.models.chat.local import LocalModel
from docqa.settings import Settings

WRITTEN = 120
TEXT = "Count on, a number in each line, up to one thousand, for ward {ward}:\n" + "\n".join(map(str, range(1, 150)))


class Bare:
    """llama.cpp's own loop as its examples have it: llama_decode in batches of 512, then a greedy sampler."""

    def __init__(self, path: Path, context_tokens: int) -> None:
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        import llama_cpp

        self.api: Any = llama_cpp
        self.log = llama_cpp.llama_log_callback(lambda *_: None)
        self.api.llama_log_set(self.log, None)
        params = self.api.llama_model_default_params()
        params.use_extra_bufts = False
        self.model = self.api.llama_model_load_from_file(str(path).encode(), params)
        context = self.api.llama_context_default_params()
        context.n_ctx, context.n_batch, context.n_ubatch = context_tokens, 512, 512
        context.n_threads = context.n_threads_batch = find_machine().cores
        self.context = self.api.llama_init_from_model(self.model, context)
        self.sampler = self.api.llama_sampler_init_greedy()

    def decode(self, tokens: Any) -> None:
        assert self.api.llama_decode(self.context, self.api.llama_batch_get_one(tokens, len(tokens))) == 0

    def measure(self, text: str) -> tuple[float, float]:
        """Tokens a second read and written."""
        data = text.encode()
        tokens = (self.api.llama_token * len(data))()
        count = self.api.llama_tokenize(
            self.api.llama_model_get_vocab(self.model), data, len(data), tokens, len(tokens), False, False
        )
        self.api.llama_memory_clear(self.api.llama_get_memory(self.context), False)
        start = time.perf_counter()
        for at in range(0, count, 512):
            size = min(512, count - at)
            self.decode((self.api.llama_token * size)(*tokens[at : at + size]))
        token = self.api.llama_sampler_sample(self.sampler, self.context, -1)
        read = time.perf_counter()
        for _ in range(WRITTEN):
            self.decode((ctypes.c_int32 * 1)(token))
            token = self.api.llama_sampler_sample(self.sampler, self.context, -1)
        return count / (read - start), WRITTEN / (time.perf_counter() - read)


async def measure_ours(model: LocalModel, text: str) -> tuple[float, float]:
    messages = [{"role": "user", "content": text}]
    _, uncached = await model.uncached(messages)
    times, written = [time.perf_counter()], ""
    async for piece in model.generate(messages, temperature=0.0, max_tokens=WRITTEN + 1):
        times.append(time.perf_counter())
        written += piece
    (count,) = await model.count([written])
    # Between the first token and the end lies one step for each further token, and one more for the mark with which it
    # stops by itself.
    return uncached / (times[1] - times[0]), min(count, WRITTEN) / (times[-1] - times[1])


async def compare(path: Path, rounds: int) -> None:
    context_tokens = 2048
    model, bare = LocalModel("ours", path, context_tokens), Bare(path, context_tokens)
    await model.start()
    ours_all, bare_all = [], []
    for number in range(rounds):
        text = TEXT.format(ward=chr(ord("A") + number))
        # The second to run finds a warmer or a busier machine.
        if number % 2:
            bare_all.append(await asyncio.to_thread(bare.measure, text))
        ours_all.append(await measure_ours(model, text))
        if not number % 2:
            bare_all.append(await asyncio.to_thread(bare.measure, text))
    await model.close()
    for column, name in enumerate(("read", "write")):
        ours, plain = ([row[column] for row in measured] for measured in (ours_all, bare_all))
        ratios = [a / b for a, b in zip(ours, plain, strict=True)]
        print(
            f"{name:6} ours {max(ours):7.1f} bare {max(plain):7.1f} tokens/s; best to best {max(ours) / max(plain):.3f}, median of rounds {statistics.median(ratios):.3f}"
        )


def chats(limit: int) -> list[tuple[list[Path], list[str]]]:
    """Documents, and the questions that are asked of them one after the other."""
    lines = (FILES / "agent" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [
        question for question in map(json.loads, lines) if question["history"] and question["kind"] != "control"
    ]
    step = max(1, len(questions) // limit)
    return [
        (
            [FILES / "agent" / name for name in question["documents"]],
            [turn["message"] for turn in question["history"] if turn["sender"] == "user"] + [question["question"]],
        )
        for question in questions[::step][:limit]
    ]


def follow_up(name: str, chats: list[tuple[list[Path], list[str]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder) / "data")
        ratios = []
        with server.client() as client:
            ids: dict[Path, str] = {}
            for path in {path for paths, _ in chats for path in paths}:
                response = client.post("/v1/api/upload", files={"file": (path.name, path.read_bytes())})
                ids[path] = response.raise_for_status().json()["doc_id"]
            server.wait("/healthz", "indexing", 0, 600)
            url = f"/v1/api/knowledge_base_chat?model_name={name}&stream=true&temperature=0.1"
            client.post(
                url,
                json={
                    "documents": list(ids.values()),
                    "messages": [{"sender": "user", "message": "What is said first?"}],
                },
            )  # loads the model
            for paths, questions in chats:
                messages: list[dict[str, str]] = []
                seconds = []
                for question in questions:
                    messages.append({"sender": "user", "message": question})
                    start = time.perf_counter()
                    body = {"documents": [ids[path] for path in paths], "messages": messages}
                    with client.stream("POST", url, json=body) as response:
                        response.raise_for_status()
                        pieces = response.iter_text()
                        text = next(pieces)
                        seconds.append(time.perf_counter() - start)
                        messages.append({"sender": "bot", "message": text + "".join(pieces)})
                    if response.headers["X-DocQA-Target"] != f"local:{name}":
                        break  # refused or counted: no model was asked
                else:
                    ratios += [later / seconds[0] for later in seconds[1:]]
                    print(f"{' then '.join(f'{took:.2f}' for took in seconds)} s: {questions}", flush=True)
        stop_server(server)
    print(
        f"{len(ratios)} follow-ups: median ratio {statistics.median(ratios):.2f}, at most 0.3 in {sum(ratio <= 0.3 for ratio in ratios)}, largest {max(ratios):.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="SMOLLM2_135M")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--chats", type=int, default=10)
    parser.add_argument("--document", type=Path)
    parser.add_argument("--ask", nargs="+", default=[])
    given = parser.parse_args()
    if given.rounds:
        asyncio.run(compare(Catalog.load(Settings().models).local_models()[given.model], given.rounds))
    if given.document:
        follow_up(given.model, [([given.document], given.ask)])
    elif given.chats:
        follow_up(given.model, chats(given.chats))


if __name__ == "__main__":
    main()
