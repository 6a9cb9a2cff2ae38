"""Which optional packages are installed now. They may arrive while the server runs; none is imported."""

from importlib.metadata import PackageNotFoundError, distribution

_SEEN: set[str] = set()


def is_installed(package: str) -> bool:
    """Whether a package is installed, by the name it is installed by.

    Its metadata are asked for, which pip writes last: a folder of it is there while pip still copies files.
    """
    if package not in _SEEN:
        try:
            distribution(package)
        except PackageNotFoundError:
            return False
        _SEEN.add(package)
    return True
