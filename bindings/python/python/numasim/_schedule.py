"""Task schedulers written in Python."""

from __future__ import annotations

from . import _core
from ._checked import flag, text, whole
from ._core import ScheduledRun, TaskProgram
from ._errors import InputTypeError
from ._study import Asked, PathLike, folder_of, reading_of


class Scheduler:
    """A scheduler of your own, for :func:`schedule`. Tasks, workers and blocks are numbers from 0.

    The simulation calls these methods in the order of simulated time. ``ready`` and ``take`` are required, the others are optional. A class
    with a method ``steal(worker)`` lets workers for which ``take`` returned None steal a task, which costs ``steal_us`` of ``[runtime]``.
    """

    def start(self, program: TaskProgram) -> None:
        """Called before any task runs: inspect ``program``, and reset all state."""

    def created(self, task: int) -> None:
        """A task was created: in the order of their numbers if the master creates all."""

    def ready(self, task: int, worker: int | None) -> None:
        """A task waits for no other; ``worker`` ran its last predecessor, or is None if it had none left at its creation."""
        raise NotImplementedError("a scheduler needs a method ready(task, worker)")

    def take(self, worker: int) -> int | None:
        """Returns the task that an idle worker runs now: ready and not taken, or None."""
        raise NotImplementedError("a scheduler needs a method take(worker)")

    def finished(self, task: int, worker: int) -> None:
        """A task has ended on a worker; calls for tasks that became ready follow."""


def schedule(
    study: Asked,
    scheduler: Scheduler,
    *,
    seed: int | None = None,
    model: str | None = None,
    graph: PathLike | None = None,
    trace: bool = False,
) -> ScheduledRun:
    """Simulates a graph of tasks under a scheduler of your own, with first-touch page placement.

    Args:
        study: A study with tasks, a program or a generator, or the paths of input files.
        scheduler: The object that decides which worker runs which task.
        seed: Seed of the order of idle workers and the work of tasks; by default that of the files, else 1.
        model: A bandwidth-sharing model that replaces the model of the machine.
        graph: A folder with ``blocks.csv`` and ``tasks.csv``, for files without a graph.
        trace: Record time and place of each task.

    Raises:
        InputTypeError: an argument has the wrong type.
        InputError: it cannot be simulated; the scheduler handed out a task that is not ready, or left tasks over.
        KeyboardInterrupt: after Ctrl-C, which stops it within a moment.
        Exception: any exception of the scheduler.
    """
    if not isinstance(scheduler, Scheduler):
        raise InputTypeError("scheduler is an object of a class that is derived from numasim.Scheduler")
    kind = type(scheduler)
    hears = (
        kind.created is not Scheduler.created,
        kind.finished is not Scheduler.finished,
        hasattr(scheduler, "steal"),
    )
    return _core.schedule(
        reading_of(study),
        scheduler,
        hears,
        seed=None if seed is None else whole("seed", seed),
        model=None if model is None else text("model", model),
        graph=None if graph is None else folder_of(graph, ("blocks.csv", "tasks.csv")),
        trace=flag("trace", trace),
    )
