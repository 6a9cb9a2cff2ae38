"""The seccomp filter of a child that reads a file: system calls that reading does not need fail with EPERM.

A program of the kernel's classic BPF over `struct seccomp_data` (seccomp(2)). It is no list of what is allowed: that
would break with each new C library; what changes files is also kept by Landlock and the limits.
"""

import struct
from typing import NamedTuple

_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # where they stand in struct seccomp_data; an argument has 8 bytes
_CLONE_THREAD = 0x00010000
_X32 = 0x40000000  # x86-64's second numbering
_COMMON = """pidfd_open 434, open_tree 428, move_mount 429, fsopen 430, fsconfig 431, fsmount 432, pidfd_getfd 438,
    io_uring_setup 425, io_uring_enter 426, io_uring_register 427, pidfd_send_signal 424, mount_setattr 442,
    process_madvise 440, fchmodat2 452"""
_DENIED = {
    "x86_64": f"""{_COMMON}, socket 41, connect 42, accept 43, bind 49, listen 50, accept4 288,
        fork 57, vfork 58, execve 59, execveat 322, ptrace 101, process_vm_readv 310, process_vm_writev 311, tkill 200,
        shmget 29, semget 64, msgget 68, mq_open 240, memfd_create 319, memfd_secret 447, setrlimit 160,
        chmod 90, fchmod 91, chown 92, fchown 93, lchown 94, fchownat 260, fchmodat 268, utime 132, utimes 235,
        futimesat 261, utimensat 280, setxattr 188, lsetxattr 189, fsetxattr 190, removexattr 197, lremovexattr 198,
        fremovexattr 199, mknod 133, mknodat 259, personality 135, pivot_root 155, chroot 161, mount 165, umount2 166,
        swapon 167, swapoff 168, reboot 169, sethostname 170, init_module 175, delete_module 176, kexec_load 246,
        add_key 248, request_key 249, keyctl 250, unshare 272, perf_event_open 298, open_by_handle_at 304,
        clock_adjtime 305, setns 308, finit_module 313, bpf 321, userfaultfd 323, setpriority 141, ioprio_set 251""",
    "aarch64": f"""{_COMMON}, socket 198, bind 200, listen 201, accept 202, connect 203, accept4 242,
        execve 221, execveat 281, ptrace 117, process_vm_readv 270, process_vm_writev 271, tkill 130,
        shmget 194, semget 190, msgget 186, mq_open 180, memfd_create 279, memfd_secret 447, setrlimit 164,
        fchmod 52, fchmodat 53, fchownat 54, fchown 55, utimensat 88, setxattr 5, lsetxattr 6, fsetxattr 7,
        removexattr 14, lremovexattr 15, fremovexattr 16, mknodat 33, personality 92, pivot_root 41, chroot 51,
        mount 40, umount2 39, swapon 224, swapoff 225, reboot 142, sethostname 161, init_module 105, delete_module 106,
        kexec_load 104, add_key 217, request_key 218, keyctl 219, unshare 97, perf_event_open 241,
        open_by_handle_at 265, clock_adjtime 266, setns 268, finit_module 273, bpf 280, userfaultfd 282,
        setpriority 140, ioprio_set 30""",
}


class _Machine(NamedTuple):
    """Its audit number, and the system calls that depend on their arguments."""

    architecture: int
    clone: int
    kill: int
    tgkill: int
    prlimit: int
    clone3: int = 435


_MACHINES = {
    "x86_64": _Machine(0xC000003E, clone=56, kill=62, tgkill=234, prlimit=302),
    "aarch64": _Machine(0xC00000B7, clone=220, kill=129, tgkill=131, prlimit=261),
}


def filter_for(machine: str, pid: int) -> bytes:
    """The program for a kind of machine, as `platform.machine` names it, b"" where it is not known.

    New threads are allowed and processes are not; signals go to the process `pid`, the own, only; limits are read, not
    set.
    """
    known = _MACHINES.get(machine)
    if known is None:
        return b""
    return b"".join(
        (
            _load(_ARCHITECTURE),
            _unless(_EQUAL, known.architecture, _return(_KILL)),
            _load(_NUMBER),
            _if(_AT_LEAST, _X32, _return(_KILL)) if machine == "x86_64" else b"",
            # glibc then falls back on clone, whose flags can be seen.
            _if(_EQUAL, known.clone3, _return(_ERROR | _ENOSYS)),
            _if(_EQUAL, known.clone, _load(_ARGUMENTS), _if(_ANY_BIT, _CLONE_THREAD, _return(_ALLOW)), _refuse()),
            *(
                _if(_EQUAL, number, _load(_ARGUMENTS), _if(_EQUAL, pid, _return(_ALLOW)), _refuse())
                for number in (known.kill, known.tgkill)
            ),
            _if(
                *(_EQUAL, known.prlimit),
                *(_load(_ARGUMENTS + 16), _unless(_EQUAL, 0, _refuse())),  # the new limits, a pointer in two halves
                *(_load(_ARGUMENTS + 20), _unless(_EQUAL, 0, _refuse())),
                _return(_ALLOW),
            ),
            *(_if(_EQUAL, int(name.split()[1]), _refuse()) for name in _DENIED[machine].split(",")),
            _return(_ALLOW),
        )
    )


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _load(offset: int) -> bytes:
    return _instruction(_LOAD, offset)


def _return(action: int) -> bytes:
    return _instruction(_RETURN, action)


def _refuse() -> bytes:
    return _return(_ERROR | _EPERM)


def _if(test: int, value: int, *then: bytes) -> bytes:
    """Run `then` where the loaded word passes the test."""
    body = b"".join(then)
    return _instruction(test, value, 0, len(body) // 8) + body


def _unless(test: int, value: int, *then: bytes) -> bytes:
    body = b"".join(then)
    return _instruction(test, value, len(body) // 8, 0) + body
