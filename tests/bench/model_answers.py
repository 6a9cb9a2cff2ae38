"""How soon a local model answers and what it says: python tests/bench/model_answers.py [--model NAME]

Ten questions of every kind over one small document, each alone and streamed: seconds to the first word and to the end,
what answered, and the answer. The document is embedded and the model loaded before.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from conftest import FILES, start_server, stop_server

DOCUMENT = FILES / "agent" / "pumps.txt"
QUESTIONS = [
    "What pressure does pump A12 deliver?",
    "Who made pump B30?",
    "When was the Westgate substation built?",
    "Does pump C7 need oil?",
    "Can I use synthetic oil in pump B30?",
    "What do I do if both lamps are lit?",
    "Why does it take a full day to replace the bearing of pump B30?",
    "Which pumps does the station have?",
    "Compare the guarantees of Lodberg and Kvist and Sons.",
    "What does the generator do?",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="SMOLLM2_135M")
    parser.add_argument("--document", type=Path, default=DOCUMENT)
    parser.add_argument("--ask", nargs="+", default=QUESTIONS)
    parser.add_argument("--seconds", default="50", help="DOCQA_ANSWER_SECONDS")
    given = parser.parse_args()
    firsts, ends, targets = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder) / "data", DOCQA_ANSWER_SECONDS=given.seconds)
        with server.client() as client:
            client.timeout = 120
            files = {"file": (given.document.name, given.document.read_bytes())}
            doc_id = client.post("/v1/api/upload", files=files).raise_for_status().json()["doc_id"]
            server.wait("/healthz", "indexing", 0, 600)
            url = f"/v1/chat/{doc_id}?model_name={given.model}&stream=true&temperature=0.1&cite_source=true"
            client.post(url, json=[{"sender": "user", "message": "What is said first?"}])
            for question in given.ask:
                start, first, text = time.perf_counter(), 0.0, ""
                with client.stream("POST", url, json=[{"sender": "user", "message": question}]) as response:
                    response.raise_for_status()
                    for piece in response.iter_text():
                        first = first or time.perf_counter() - start
                        text += piece
                ends.append(time.perf_counter() - start)
                firsts.append(first)
                targets.append(response.headers["X-DocQA-Target"])
                print(f"{first:6.2f} {ends[-1]:6.2f} s {targets[-1]}: {question}", flush=True)
                print("    " + text.partition("\n\nSources:")[0].strip().replace("\n", "\n    "), flush=True)
        stop_server(server)
    print(
        f"first word: median {statistics.median(firsts):.2f} s, largest {max(firsts):.2f} s; "
        f"end: median {statistics.median(ends):.2f} s, largest {max(ends):.2f} s; "
        f"{sum(target.startswith('local:') for target in targets)} of {len(targets)} by the model"
    )


if __name__ == "__main__":
    main()
