"""What of this system confines the processes that read files."""

from docqa.workers.sandbox import Means

REMEDY = "Where you do not know who uploads files, run DocQA on Linux 5.13 or newer, on x86-64 or arm64."


def confinement(means: Means) -> tuple[str, str]:
    """What there is and what is lacking, in a sentence, and what to do about it, "" where nothing is lacking."""
    parts = {
        "limits of memory, time, files and processes": means.limits,
        "an end with the server's": means.dies_with_parent or means.limits,
        f"Landlock {means.landlock or ''}".strip() + " (no other files)": bool(means.landlock),
        "seccomp (no sockets, no programs)": means.seccomp,
    }
    has, lacks = ([name for name, there in parts.items() if there is wanted] for wanted in (True, False))
    state = f"confined by {', '.join(has)}" if has else "limited in time only"
    return (f"{state}; this system lacks {', '.join(lacks)}", REMEDY) if lacks else (state, "")
