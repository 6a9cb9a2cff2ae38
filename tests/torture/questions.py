"""No text and no question keeps the server from others: python tests/torture/questions.py [SECONDS]

Texts that repeat what is looked for, headings, steps, dates, signatures, and that hold long runs of one sign behind such,
are asked all kinds of questions, without models; then questions with such runs are asked of a small text. Printed is what
took longer than SECONDS (3) or had an error; a server that does not answer within a minute is given up.
"""

import itertools
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

import httpx

from conftest import Server, start_server, stop_server

WITHOUT_MODELS = {"DOCQA_EMBEDDER": "none", "DOCQA_VERIFIER": "off", "DOCQA_READER": "off", "DOCQA_LOG_LEVEL": "error"}
SECONDS = 3.0
GIVEN_UP = 60.0
CHARACTERS = 200_000
RUN = 1500  # of one sign
LONGEST = 32_000  # as long as a question may be
LONG_BEGINNINGS = ("What is ", "page 3")
WORDS = [
    "pump",
    "oil",
    "litre",
    "month",
    "report",
    "valve",
    "station",
    "water",
    "pressure",
    "section",
    "chapter",
    "notice",
    "tenant",
    "price",
    "board",
    "court",
]
QUESTIONS = (
    "How many litres of oil does the pump take?",
    "How much oil according to section 5?",
    "Summarise chapter 1",
    "Summarise this in detail",
    "Who wrote this and when?",
    "How many pages does it have?",
    "What are the chapters?",
    "Where is oil mentioned?",
    "What happens on day 6?",
    "Who signed it?",
    "What was decided?",
    "Which pumps are there?",
    "Why does the pump need oil?",
    "How do I turn the pump?",
    "Compare the pump and the valve",
    "What is the total of all litres?",
    "On which page is the pump?",
    "What does page 4 say?",
    "What is E00012?",
    "Is the pump allowed?",
    "What are the key dates?",
    "Who is John12 Smith12?",
    'What does "oil" mean?',
)
REPEATED = {
    "headings": "Chapter 1\nChapter 0\n",
    "steps": "1. do\n2. do it\n",
    "items": "- pump\n- oil\n",
    "signatures": "Signature: ____________\nName: ______\n",
    "by-lines": "by John Smith\n",
    "quotations": 'pump said "oil" and “more” ',
    "gaps": "pump          oil        \n",
    "cells": "pump\toil\t12\t13\n",
    "rules": "pump   oil\n-----  ----\n1      2\n",
    "questions": "What is the pump? Who is it? ",
    "capitals": "PUMP OIL\n\nWATER VALVE\n\n",
    "blank lines": "pump\n\n\n\n",
    "abbreviations": "Mr. Dr. e.g. i.e. St. No. ",
    "negations": "It is not. It is. No pump is not allowed. ",
    "articles": "第1章 水泵每月需要油。第2条 ",
    "decisions": "Resolved: the board decided to buy oil. Mr Smith said that he agreed. ",
    "hyphens": "pump-\noil-\n",
}
COUNTED = {
    "labels": "Day {n}\nThe pump.\n",
    "points": "{n}. Turn the pump {n}\n",
    "dates": "{n} June: the board met.\n",
    "names": "Signed by John{n} Smith{n}\n",
    "contents": "Chapter {n}      of the pump ........ {n}\n",
    "fields": "Key{n}: value {n}\n",
    "codes": "E{n:05d} the pump F.{n} ",
    "numbers": "{n} {n}7 {n}.5 ",
}
BEGINNINGS = (
    "Signed", "Author", "Chapter 1", "1.", "Date", "Contents", "Resolved", "by", "Yours sincerely", "Figure 1", "Dear Sir",
    "The pump", "Day 1", "§ 5", "- item", "Summarise", "In section 5", "pages 3", "What is", "How many", 'the first "oil',
)  # fmt: skip
SIGNS = " \t.·…_-:：,;()[]\"'“*#|=<>/\\&@%0aA１第。、！?’\u00a0\u3000\u200b"
PIECES = (
    " .",
    ". ",
    " a",
    " Abc",
    "1.",
    "1 ",
    "1,",
    "1 and ",
    "a-",
    "a@",
    "pages 3, ",
    "chapter 3 and ",
    "who and ",
    "第3章",
)


def texts() -> Iterator[tuple[str, str]]:
    """Name and text of each."""
    rng = random.Random(1)
    sentences = (" ".join(rng.choice(WORDS) for _ in range(12)).capitalize() + ". " for _ in itertools.count())
    yield "sentences", "".join(itertools.islice(sentences, CHARACTERS // 80))
    for name, piece in REPEATED.items():
        yield name, piece * (CHARACTERS // len(piece))
    for name, piece in COUNTED.items():
        yield name, "".join(piece.format(n=number) for number in range(CHARACTERS // len(piece)))
    for run in runs(RUN):
        lines = (f"{begin}{run}\n{begin}{run}x\n{begin} pump{run}oil 5\n" for begin in BEGINNINGS)
        yield f"runs of {run[:4]!r}", "".join(lines)


def runs(length: int) -> list[str]:
    """One sign or piece again and again."""
    return [piece * (length // len(piece)) for piece in (*SIGNS, *PIECES)]


class Asking:
    """Uploads and questions to a server, and how many of them took longer than `limit` seconds or had an error, each
    printed."""

    def __init__(self, server: Server, limit: float) -> None:
        self._client = httpx.Client(base_url=server.base, headers={"x-api-key": server.key}, timeout=GIVEN_UP)
        self._limit = limit
        self.asked = self.faults = 0
        self.longest = 0.0

    def add(self, name: str, text: str) -> str:
        """The doc_id of a text."""
        response = self._client.post("/v1/api/upload", files={"file": (f"{name}.txt", text.encode())})
        assert response.status_code == 201, f"{name}: {response.status_code} {response.text[:200]}"
        return str(response.json()["doc_id"])

    def ask(self, name: str, doc_id: str, question: str) -> None:
        """Ask, and note what came of it. Raises httpx.ReadTimeout where there is no answer."""
        messages = [{"sender": "user", "message": question}]
        began = time.perf_counter()
        response = self._client.post(f"/v1/chat/{doc_id}", params={"model_name": "QUOTES"}, json=messages)
        seconds = time.perf_counter() - began
        self.asked += 1
        self.longest = max(self.longest, seconds)
        if seconds > self._limit or response.status_code != 200:
            self.faults += 1
            print(f"{name}, {question[:60]!r}: {response.status_code} after {seconds:.1f} s", flush=True)


def main() -> None:
    """Ask all, and say how many took too long or had an error."""
    limit = float(sys.argv[1]) if sys.argv[1:] else SECONDS
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder) / "data", **WITHOUT_MODELS)
        asking = Asking(server, limit)
        try:
            for name, text in texts():
                doc_id = asking.add(name, text)
                for question in QUESTIONS:
                    asking.ask(name, doc_id, question)
            doc_id = asking.add("small", "Chapter 1\n\nThe pump takes oil. John Smith signed it on 3 May 2020.")
            for begin, run in itertools.product(BEGINNINGS, (*runs(90), *runs(RUN))):
                asking.ask("a small text", doc_id, f"{begin}{run} pump{run}oil")
            for begin, run in itertools.product(("", *LONG_BEGINNINGS), runs(LONGEST)):
                asking.ask("a small text", doc_id, f"{begin}{run} oil?")
        finally:
            stop_server(server)
    print(f"{asking.asked} questions, {asking.longest:.1f} s at most, {asking.faults} too slow or with an error")
    sys.exit(bool(asking.faults))


if __name__ == "__main__":
    main()
