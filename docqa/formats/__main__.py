"""The child process that reads a file: `python -m docqa.formats MEGABYTES SECONDS`, limited before it imports more."""

import sys


def limit(memory_mb: int, seconds: int) -> None:
    """Bound address space, processor time and core dumps.

    A system without `resource` (Windows) has only the parent's clock.
    """
    try:
        import resource
    except ImportError:
        return
    wanted = memory_mb << 20
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard == resource.RLIM_INFINITY or wanted <= hard:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, wanted))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    limit(int(sys.argv[1]), int(sys.argv[2]))

    from docqa.formats.child import main

    main()
