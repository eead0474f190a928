"""What a run does side by side, in a thread each; the first that fails ends the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread


def run_lanes(make: Callable[[str], None], names: Sequence[str], at_once: bool, abandon: Callable[[], None]) -> None:
    """Call ``make`` of each name, all at once or one after another. What one of them raises is raised at once;
    ``abandon`` is called before, so that the others, which nobody waits for, come to an end as well.

    >>> run_lanes(print, ["theorem"], True, lambda: None)
    theorem
    """
    if len(names) < 2 or not at_once:
        for name in names:
            make(name)
        return
    ended: SimpleQueue[BaseException | None] = SimpleQueue()

    def run(name: str) -> None:
        try:
            make(name)
        except BaseException as error:  # noqa: BLE001 - raised again where the lanes are awaited
            ended.put(error)
        else:
            ended.put(None)

    threads = [Thread(target=run, args=(name,), daemon=True, name=name) for name in names]
    for each in threads:
        each.start()
    try:
        for _ in threads:
            error = ended.get()
            if error is not None:
                raise error
    except BaseException:
        abandon()
        raise
    for each in threads:
        each.join()
