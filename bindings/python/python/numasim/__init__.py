"""Places the threads of applications on the NUMA nodes of a shared machine.

The package computes what the program ``numasim`` computes, to the last bit, from the same input files::

    import numasim

    study = numasim.Study.read("machine.toml", "workload.toml")
    numasim.evaluate(study)                      # GFLOPS and GB/s of every scenario
    numasim.explore(study, "fair").best.threads  # applications x nodes
    numasim.pareto(study).to_pandas()            # the cost of fairness in GFLOPS
    numasim.sweep(study, {"machine.link_gbs": "5..50:5"}).to_pandas()
    numasim.simulate("applications-over-time.toml", ["none", "fair-share"])["fair-share"].makespan_s
    numasim.tasks("graph-of-tasks.toml", ["fifo", "dep"]).to_pandas()
    numasim.advise("measured-machine.toml").moves  # moves on this host

or from values of Python::

    machine = numasim.Machine("box", nodes=2, cores_per_node=8, gflops_per_core=10, bandwidth_gbs=60, link_gbs=20)
    study = numasim.Study(machine, [numasim.App("mem", ai=0.5), numasim.App("cpu", ai=10)])

Units are in the names: GFLOPS, GB/s (``_gbs``, 10^9 byte per second), GiB (``_gib``), seconds (``_s``), FLOP per byte
(``ai``). Predictions come from a model: README and guide list its omissions, and results/ its errors.
"""

from ._ask import advise, evaluate, explore, machines, pareto, simulate, snapshot, sweep, tasks
from ._columns import Columns
from ._core import (
    Advice,
    Answer,
    Evaluation,
    Exploration,
    Fewest,
    Front,
    Machines,
    Robust,
    ScenarioResult,
    ScheduledRun,
    SimulatedRun,
    Simplest,
    Simulation,
    Snapshot,
    TaskProgram,
    Tasks,
    TasksRun,
)
from ._errors import Fault, InfeasibleError, InputError, InputTypeError, NumasimError, NumasimWarning
from ._plot import Picture
from ._schedule import Scheduler, schedule
from ._study import App, Machine, Scenario, Study
from ._sweep import SweepResult

__all__ = [
    "Advice",
    "Answer",
    "App",
    "Columns",
    "Evaluation",
    "Exploration",
    "Fault",
    "Fewest",
    "Front",
    "InfeasibleError",
    "InputError",
    "InputTypeError",
    "Machine",
    "Machines",
    "NumasimError",
    "NumasimWarning",
    "Picture",
    "Robust",
    "Scenario",
    "ScenarioResult",
    "ScheduledRun",
    "Scheduler",
    "SimulatedRun",
    "Simplest",
    "Simulation",
    "Snapshot",
    "Study",
    "SweepResult",
    "TaskProgram",
    "Tasks",
    "TasksRun",
    "advise",
    "evaluate",
    "explore",
    "machines",
    "pareto",
    "schedule",
    "simulate",
    "snapshot",
    "sweep",
    "tasks",
]
