"""A bundle of this checkout sets itself up where there is no network, and answers: python tests/torture/bundle.py DIR

Makes the bundle in DIR, or resumes it, then starts it in a network of its own with nothing but loopback in it and
an empty home. Takes five minutes, most of it for compiling llama.cpp, and 2 GB in DIR. Linux only.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from docqa.offline import namespace
from docqa.offline.rehearsal import QUESTION, SPECIMENS, Client
from docqa.setup.progress import DONE, FAILED

INSIDE = "inside"
PYTHON = str(Path(sys.base_prefix) / "bin" / "python3")  # not .venv's: the bundle makes its own


def clean(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home)}


def make(target: Path) -> None:
    start = time.monotonic()
    subprocess.run([sys.executable, str(ROOT / "run.py"), "bundle", str(target)], check=True)
    print(f"bundled in {time.monotonic() - start:.0f} s", flush=True)
    for left in (".venv", "data"):
        shutil.rmtree(target / left, ignore_errors=True)  # of an earlier run


def use(target: Path) -> None:
    """In a network without a route: serve, ask by words, and by all models once they are set up; the bundle's own doctor
    proves the rest."""
    namespace.raise_loopback()
    with tempfile.TemporaryDirectory() as home:
        start = time.monotonic()
        command = [PYTHON, "run.py", "serve", "--port", "0"]
        with subprocess.Popen(command, cwd=target, env=clean(Path(home)), stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                port = listen(server)
                client = Client(port, (target / "data" / "api-key").read_text().strip())
                print(f"serving after {time.monotonic() - start:.0f} s", flush=True)
                doc_id = client.upload(SPECIMENS / "lighthouse.pdf")
                ask(client, doc_id, "GPT5_2")
                print(f"answered by words after {time.monotonic() - start:.0f} s", flush=True)
                follow(client, start)
                print(f"health: {client.text('GET', '/healthz')}")
                for model in ("GPT5_2", "SMOLLM2_135M"):
                    ask(client, doc_id, model)
            finally:
                server.terminate()
        subprocess.run([PYTHON, "run.py", "doctor", "--offline"], cwd=target, env=clean(Path(home)), check=True)
    print(f"sent outward while it was set up and asked: {namespace.count_outward() or 'nothing'}")


def listen(server: subprocess.Popen[str]) -> int:
    assert server.stdout is not None
    for line in server.stdout:
        print(f"    {line.rstrip()}", flush=True)
        if match := re.search(r"serves on http://127\.0\.0\.1:(\d+)", line):
            return int(match[1])
    raise SystemExit("the server did not start")


def ask(client: Client, doc_id: str, model: str) -> None:
    path = f"/v1/chat/{doc_id}?cite_source=true&model_name={model}"
    print(f"{model}: {client.text('POST', path, [{'sender': 'user', 'message': QUESTION}])}", flush=True)


def follow(client: Client, start: float) -> None:
    """Say when each step of the installation is over, until all are, and none is named any more."""
    over: set[str] = set()
    while len(over) < len(steps := client.json("GET", "/healthz")["installing"]):
        for step in steps:
            if step["state"] in (DONE, FAILED) and step["what"] not in over:
                over.add(step["what"])
                print(f"{step['what']}: {step['state']} after {time.monotonic() - start:.0f} s", flush=True)
        time.sleep(0.5)
    print(f"everything set up after {time.monotonic() - start:.0f} s", flush=True)


def main() -> None:
    target = Path(sys.argv[1]).resolve()
    if sys.argv[2:] == [INSIDE]:
        return use(target)
    make(target)
    subprocess.run([*namespace.PREFIX, sys.executable, __file__, str(target), INSIDE], check=True)


if __name__ == "__main__":
    main()
