"""How a child does its tasks: what a library says of memory becomes one error, whichever it was."""

from collections.abc import Callable, Mapping
from threading import Event

from docqa.errors import Unreadable
from docqa.workers.loop import Answers, Header, Loaded, serve

Task = Callable[[Header, bytes], Answers]

# What foreign libraries say when an allocation fails.
_OUT_OF_MEMORY = ("malloc", "out of memory", "memory allocation", "bad_alloc", "cannot allocate")


def serve_tasks(tasks: Mapping[str, Task]) -> None:
    """Serve requests, each naming its task, until the parent closes the pipe or kills the process."""

    def handle(request: Header, data: bytes, _: Event) -> Answers:
        try:
            yield from tasks[request["task"]](request, data)
            return
        except Unreadable:
            raise
        except BaseException as error:
            if not isinstance(error, MemoryError) and not any(sign in str(error).lower() for sign in _OUT_OF_MEMORY):
                raise
        # Raised anew: the traceback of the first one keeps alive what has filled the memory.
        raise MemoryError

    serve(lambda: Loaded({}, handle))
