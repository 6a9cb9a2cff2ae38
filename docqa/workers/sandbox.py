"""What a child process that reads a hostile file may not do, set by the child itself before it imports a parser.

Limits of memory, time, files and processes (POSIX); its end with its parent; no new privileges; Landlock, which leaves
it the files it needs to read and no other; and a seccomp filter: no sockets, programs, processes, nor anything that
changes the machine. What a system lacks is left out, and `doctor` says so. Numbers are those of the kernel's headers.
Children that run models or install are not confined; they only step back.
"""

import ctypes
import os
import platform
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from docqa.workers.seccomp import filter_for

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_SECCOMP_MODE_FILTER = 2
# landlock(7); the numbers of these system calls are the same on every machine.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_FILE_RIGHTS = (0, 13, 14, 15, 15, 16)  # how many rights on files each version knows, from 0; later ones as the last
_NETWORK, _SCOPES = 4, 6  # the versions from which on it knows TCP, and signals and abstract sockets
_MAKE_LINKS = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 12  # remove a folder or file, make a folder or a symbolic link
_OPEN_FILES = 128
_GRACE = 2  # seconds
READING = 10  # a niceness: who chats does not wait for who uploads
BEHIND_SERVER = 5  # and the server, which answers and refuses, not for its own models
_TRIES, _BETWEEN = 3, 0.1  # seconds
_FURTHER_THREADS = 256  # beside all that the user's processes have now; Linux counts threads as processes


class Confinement(NamedTuple):
    """The bounds of one child. It may read below `reads` and make folders and links in `temporary`, and write
    into no file. Above `memory_mb` of address space and `seconds` of processor time it ends. It steps back for others
    by `niceness`. One that is `watched`, as `doctor --offline` does, has these limits only: what it tries is seen and
    written down."""

    memory_mb: int
    seconds: int
    reads: tuple[str, ...]
    temporary: str
    watched: bool = False
    niceness: int = READING


class Means(NamedTuple):
    """What this system has to confine a child: `landlock` is its version, 0 for none."""

    limits: bool
    dies_with_parent: bool
    landlock: int
    seccomp: bool


def means() -> Means:
    """What this system has; nothing is changed."""
    on_linux = sys.platform == "linux"
    landlock = max(0, _libc().syscall(_CREATE_RULESET, None, 0, _VERSION)) if on_linux else 0
    return Means(os.name == "posix", on_linux, landlock, on_linux and _knows_seccomp())


def confine(bounds: Confinement) -> None:
    """Confine the calling process, for good. It must have one thread only: others would stay free."""
    if os.name != "posix":
        return
    step_back(bounds.niceness)
    _limit(bounds)
    if sys.platform == "linux" and not bounds.watched:
        _libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if version := means().landlock:
            _restrict_files(version, bounds)
        _filter_calls()


def step_back(niceness: int) -> None:
    """Leave the processor to others who want it, by so much more niceness (POSIX). Where Linux shares it out by
    sessions first, "autogroups", the nice value only counts within the session: that of a child of its own is made
    nice, too (sched(7))."""
    if os.name != "posix":
        return
    os.nice(niceness)
    for _ in range(_TRIES if os.getsid(0) == os.getpid() else 0):
        try:
            Path("/proc/self/autogroup").write_text(str(niceness))
        except BlockingIOError:  # the system takes one such wish in a tenth of a second
            time.sleep(_BETWEEN)
        except OSError:  # no Linux, or one that does not share by sessions
            return
        else:
            return


def die_with_parent(parent: int) -> None:
    """End the calling process with the one whose id is `parent`, however that ends.

    Linux sends a signal. Elsewhere the child's listening thread sees that its pipe was closed, unless native code keeps
    it from running: `watch_parent` sees it then.
    """
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it has ended before
            os._exit(1)


def watch_parent(pipe: int = 0) -> None:
    """Fork a process that kills the group of the calling one, which must lead it, as soon as nobody writes to its
    `pipe` any more: for systems that send no signal when a parent ends."""
    group = os.getpid()
    if os.fork():
        return
    for descriptor in (1, 2):  # or the parent would wait for their end
        os.close(descriptor)
    waiting = select.poll()
    waiting.register(pipe, select.POLLHUP)
    while not any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in waiting.poll()):
        pass
    os.killpg(group, signal.SIGKILL)


def _limit(bounds: Confinement) -> None:
    import resource  # Windows has none

    memory = bounds.memory_mb << 20
    wanted = {
        "RLIMIT_AS": memory,
        "RLIMIT_CPU": bounds.seconds + _GRACE,
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_NOFILE": _OPEN_FILES,
        "RLIMIT_NPROC": _threads_of_user() + _FURTHER_THREADS if sys.platform == "linux" else 0,
    }
    for name, value in wanted.items():
        limit = getattr(resource, name, None)
        if limit is None or bounds.watched and name == "RLIMIT_FSIZE":
            continue
        hard = resource.getrlimit(limit)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # Between the two limits of time lies the signal that tells why it ended; beyond, it is killed.
        soft = max(0, value - _GRACE) if name == "RLIMIT_CPU" else value
        with suppress(OSError, ValueError):  # macOS knows RLIMIT_AS, but does not let it be set
            resource.setrlimit(limit, (soft, value))


def _threads_of_user() -> int:
    """How many threads this user's processes have."""
    count, own = 0, os.getuid()
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):  # it has just ended
            if os.stat(f"/proc/{name}").st_uid == own:
                count += len(os.listdir(f"/proc/{name}/task"))
    return count


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def _restrict_files(version: int, bounds: Confinement) -> None:
    """Landlock: every right that this version knows is taken, and those to read below some paths given back."""
    libc = _libc()
    known = (1 << _FILE_RIGHTS[min(version, len(_FILE_RIGHTS) - 1)]) - 1
    ruleset = _Ruleset(known, 0b11 if version >= _NETWORK else 0, 0b11 if version >= _SCOPES else 0)
    size = 8 if version < _NETWORK else 16 if version < _SCOPES else 24
    rules = libc.syscall(_CREATE_RULESET, ctypes.byref(ruleset), size, 0)
    if rules < 0:
        raise OSError(ctypes.get_errno(), "Landlock gives no ruleset")
    reading = _EXECUTE | _READ_FILE | _READ_DIR
    granted = [(path, reading) for path in bounds.reads] + [("/dev/null", _READ_FILE | _WRITE_FILE)]
    if bounds.temporary:
        granted.append((bounds.temporary, reading | (_MAKE_LINKS & known)))
    for path, rights in granted:
        with suppress(FileNotFoundError, PermissionError):  # then it cannot be read anyway
            parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
            on_file = _EXECUTE | _READ_FILE | _WRITE_FILE
            rule = _PathBeneath(rights if os.path.isdir(path) else rights & on_file, parent)
            added = libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(rule), 0)
            os.close(parent)
            if added:
                raise OSError(ctypes.get_errno(), f"Landlock takes no rule for {path}")
    if libc.syscall(_RESTRICT_SELF, rules, 0):
        raise OSError(ctypes.get_errno(), "Landlock does not restrict this process")
    os.close(rules)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def _filter_calls() -> None:
    if (code := filter_for(platform.machine(), os.getpid())) and _knows_seccomp():
        program = _Program(len(code) // 8, code)
        if _libc().prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0):
            raise OSError(ctypes.get_errno(), "the kernel does not take the seccomp filter")


def _knows_seccomp() -> bool:
    """Whether there is a filter for this machine and the kernel takes one: without a program it says EFAULT then."""
    if not filter_for(platform.machine(), os.getpid()):
        return False
    _libc().prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, None, 0, 0)
    return ctypes.get_errno() == 14


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
