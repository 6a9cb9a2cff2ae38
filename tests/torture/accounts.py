"""Two accounts over all operations for some time: what one does must never show in what the other one sees.

    .venv/bin/python tests/torture/accounts.py [SECONDS] [--steps N] [--embedder NAME] [--models DIR]

As tests/api/test_accounts.py, with other operations each time; a failure is made as short as possible and printed. With
an embedder its vectors take part, and are compared at the digits that do not depend on the size of its batches.
"""

import argparse
import logging
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from hypothesis.stateful import run_state_machine_as_test

from docqa.models.measured import FILE as MEASURED
from docqa.settings import Settings
from two_worlds import TwoAccounts

BATCH = 5  # runs between two looks at the clock
DIGITS = 3  # of a score by vectors


def machine(embedder: str, models: Path) -> type[TwoAccounts]:
    """The machine with these models."""

    class WithModels(TwoAccounts):
        digits = None if embedder == "none" else DIGITS
        measured = b""

        @classmethod
        def measure(cls) -> None:
            """Have the precision of the embedding model measured."""
            first = cls()
            first.alice_has_a_log()
            cls.measured = (first.alone.app.state.services.settings.data / MEASURED).read_bytes()
            first.teardown()

        @staticmethod
        def settings_of(folder: Path) -> Settings:
            # Both must compute alike: which precision is faster is measured once, and may differ on a busy machine.
            (folder / "data").mkdir()
            if measured := WithModels.measured:
                (folder / "data" / MEASURED).write_bytes(measured)
            return Settings(data=folder / "data", embedder=embedder, models=models, verifier=False)

    if embedder != "none":
        WithModels.measure()
    return WithModels


def main() -> int:
    """Run until the time is over; 1 if the accounts were no strangers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float, nargs="?", default=600)
    parser.add_argument("--steps", type=int, default=50, help="operations in one run")
    parser.add_argument("--embedder", default="none", help="an embedding model by its name in the catalogue")
    parser.add_argument("--models", type=Path, default=Path("models"))
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    limits = hypothesis_settings(
        max_examples=BATCH,
        stateful_step_count=options.steps,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    two_accounts = machine(options.embedder, options.models)
    end, runs = time.monotonic() + options.seconds, 0
    while time.monotonic() < end:
        run_state_machine_as_test(two_accounts, settings=limits)
        runs += BATCH
        print(f"{runs} runs of up to {options.steps} operations, no difference", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
