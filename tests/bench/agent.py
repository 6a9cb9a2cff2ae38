"""What agent_mode adds, on a running server: python tests/bench/agent.py --key KEY [--base URL] [--sets DIR SET...]
[--limit N]

Asks the questions of tests/files/agent with agent_mode=true and false and prints in percent how many have all their
answers in the sources (evidence) and in the answer, and the median seconds. With --sets, two questions of one document
are joined to one for each pair in DIR/<set>.jsonl (`doc_id`, `question`, `answers`, `answerable`; the documents are
DIR/docs/*/doc_<doc_id>.txt); their answers must both be there.
"""

import argparse
import json
import statistics
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx

FOLDER = Path(__file__).parents[1] / "files" / "agent"
JOINS = {"de": " und ", "fr": " et ", "es": " y ", "pt": " e "}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def joined(first: str, second: str, language: str) -> str:
    """Two questions as people ask them in one breath; with a mark of its own each, in scripts without small letters."""
    if second[0].lower() == second[0].upper():
        return f"{first} {second}"
    return first.rstrip("?¿ ") + JOINS.get(language, " and ") + second[0].lower() + second[1:]


def pairs(folder: Path, name: str, limit: int) -> list[dict[str, Any]]:
    """Questions of two parts: each answerable question with the one that follows it in its document."""
    by_document = defaultdict(list)
    for question in lines(folder / f"{name}.jsonl"):
        if question["answerable"] and question["answers"]:
            by_document[question["doc_id"]].append(question)
    joined_pairs = []
    for doc_id, questions in by_document.items():
        [path] = folder.glob(f"docs/*/doc_{doc_id}.txt")
        for first, second in zip(questions[::2], questions[1::2], strict=False):
            question = joined(first["question"], second["question"], first["lang"])
            joined_pairs.append(
                {
                    "kind": name,
                    "history": [],
                    "question": question,
                    "documents": [path],
                    "answers": [first["answers"], second["answers"]],
                }
            )
    step = max(1, len(joined_pairs) // limit) if limit else 1
    return joined_pairs[::step][: limit or None]


def holds(text: str, answers: list[list[str]]) -> bool:
    text = " ".join(text.casefold().split())
    return all(any(" ".join(answer.casefold().split()) in text for answer in alternatives) for alternatives in answers)


class Service:
    def __init__(self, base: str, key: str) -> None:
        self.http = httpx.Client(base_url=base, headers={"x-api-key": key}, timeout=120)
        self.ids: dict[Path, str] = {}

    def upload(self, paths: set[Path]) -> None:
        for path in paths:
            response = self.http.post(
                "/v1/api/upload", files={"file": (path.name, path.read_bytes())}
            ).raise_for_status()
            self.ids[path] = response.json()["doc_id"]
        while self.http.get("/healthz").raise_for_status().json()["indexing"]:
            time.sleep(0.5)

    def ask(self, question: dict[str, Any], agent_mode: str) -> tuple[str, str, float]:
        """The answer, the text of its sources, and how long it took in seconds."""
        body = {
            "documents": [self.ids[path] for path in question["documents"]],
            "messages": [*question["history"], {"sender": "user", "message": question["question"]}],
        }
        start = time.perf_counter()
        reply = (
            self.http.post(f"/v1/api/knowledge_base_chat?cite_source=true&agent_mode={agent_mode}", json=body)
            .raise_for_status()
            .json()
        )
        seconds = time.perf_counter() - start
        return reply["answer"]["message"], "\n".join(source["source_chunk"] for source in reply["sources"]), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="http://127.0.0.1:8000")
    parser.add_argument("--key", required=True)
    parser.add_argument(
        "--sets", nargs="+", metavar=("DIR", "SET"), help="a folder of question sets and the names of sets in it"
    )
    parser.add_argument("--limit", type=int, default=0, help="pairs for each set")
    parser.add_argument("--show", action="store_true", help="print what agent_mode=true did not answer")
    given = parser.parse_args()
    if given.sets:
        questions = [question for name in given.sets[1:] for question in pairs(Path(given.sets[0]), name, given.limit)]
    else:
        questions = [
            question | {"documents": [FOLDER / name for name in question["documents"]]}
            for question in lines(FOLDER / "questions.jsonl")
        ]
    service = Service(given.base, given.key)
    service.upload({path for question in questions for path in question["documents"]})
    measure(service, questions, given.show)
    for doc_id in service.ids.values():
        service.http.delete(f"/v1/api/documents/{doc_id}").raise_for_status()


def measure(service: Service, questions: list[dict[str, Any]], show: bool) -> None:
    print(f"{'kind':12} {'n':>4} {'agent_mode':>10} {'evidence':>8} {'answer':>6} {'p50 s':>6}")
    for kind in dict.fromkeys(question["kind"] for question in questions):
        of_kind = [question for question in questions if question["kind"] == kind]
        for mode in ("false", "true"):
            replies = [(question, *service.ask(question, mode)) for question in of_kind]
            evidence = 100 * statistics.mean(holds(sources, question["answers"]) for question, _, sources, _ in replies)
            right = 100 * statistics.mean(holds(answer, question["answers"]) for question, answer, _, _ in replies)
            print(
                f"{kind:12} {len(of_kind):4d} {mode:>10} {evidence:8.1f} {right:6.1f} {statistics.median(seconds for *_, seconds in replies):6.3f}",
                flush=True,
            )
            for question, answer, _, _ in replies:
                if show and mode == "true" and not holds(answer, question["answers"]):
                    print(f"    {question['question']} {question['answers']}\n      -> {answer[:400]}")


if __name__ == "__main__":
    main()
