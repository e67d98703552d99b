"""Machines, applications, scenarios, and studies that combine them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Union

import numpy as np

from . import _checked, _toml
from ._checked import is_list, mapping, shown, text, whole
from ._core import Reading
from ._errors import InputError, InputTypeError

if TYPE_CHECKING:
    from typing_extensions import Self

PathLike = Union[str, "os.PathLike[str]"]
Source = tuple[str, str]


def _text_of(path: PathLike) -> Source:
    """Name and text of a file.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: the file is not UTF-8.
    """
    # No universal newlines, so that columns and lines are those of the file.
    return str(path), Path(path).read_bytes().decode("utf-8")


def _is_finished(folder: Path) -> None:
    """Rejects a folder with files of two runs, as a killed command leaves it."""
    unfinished = folder / ".numasim-unfinished"
    if unfinished.exists():
        raise InputError(
            f"error: {folder} has files of two runs: numasim was stopped while it wrote them\n"
            f"hint: run the command that writes the folder again; {unfinished} has the files that are not in place"
        )


def folder_of(folder: PathLike, names: tuple[str, str]) -> tuple[str, tuple[Source, Source]]:
    """The name of a folder, and two files in it.

    Raises:
        InputError: the files are from two runs.
        OSError: a file cannot be read.
        UnicodeDecodeError: a file is not UTF-8.
    """
    path = Path(folder)
    first, second = names
    _is_finished(path)
    sources = _text_of(path / first), _text_of(path / second)
    _is_finished(path)
    return path.name or str(path), sources


class _Texts:
    """Texts of input files, read and checked together."""

    _sources: list[Source]
    _reading: Reading

    def _set(self, sources: list[Source], of_values: bool = False) -> None:
        self._sources = sources
        self._reading = Reading(sources, of_values)

    @classmethod
    def _of(cls, sources: list[Source]) -> Self:
        made = cls.__new__(cls)
        made._set(sources)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        # Only the texts are pickled; the other process reads them again.
        return type(self)._of, (self._sources,)

    def __copy__(self) -> Self:
        made = self.__class__.__new__(self.__class__)
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()  # nothing in it changes

    @property
    def model(self) -> str:
        """The bandwidth-sharing model that the file of the machine names, or the default."""
        return self._reading.model

    @property
    def cores(self) -> np.ndarray:
        """Cores of each node."""
        return self._reading.cores


_T = TypeVar("_T")


def _all(name: str, kind: type[_T], things: Any) -> list[_T]:
    """Objects of one class."""
    if isinstance(things, (str, bytes, kind)) or not isinstance(things, Iterable):
        raise InputTypeError(f"{name} is a list of {kind.__name__}, not {shown(things)}")
    listed = list(things)
    for one in listed:
        if not isinstance(one, kind):
            raise InputTypeError(f"each of {name} is of the class {kind.__name__}, not {shown(one)}")
    return listed


class Machine(_Texts):
    """A NUMA machine.

    The keyword arguments are the keys of ``[machine]`` in an input file, with the units in their names; an unknown
    key is rejected with a suggestion::

        Machine("4 x 20", nodes=4, cores_per_node=20, gflops_per_core=10, bandwidth_gbs=100, link_gbs=25)

    Args:
        name: Its name.
        nodes: Number of equal NUMA nodes, or a list of tables with the keys of ``[[machine.node]]``.
        keys: All other keys: ``cores_per_node``, ``gflops_per_core`` (GFLOPS of one core), ``bandwidth_gbs`` (GB/s of
            the memory of a node), ``link_gbs`` (GB/s between two nodes), ``bandwidth_matrix_gbs``
            (GB/s from the node of the cores, the row, to that of the memory; memories on the diagonal) ...

    Raises:
        InputError: the machine is invalid; the text names the place and the reason.
    """

    def __init__(self, name: str, *, nodes: int | Sequence[Mapping[str, Any]], **keys: Any) -> None:
        head: dict[str, Any] = {"name": text("name", name)}
        tables = ""
        if not is_list(nodes):
            head["nodes"] = whole("nodes", nodes)
        else:
            tables = "".join(_toml.table("[[machine.node]]", mapping("each of nodes", node)) for node in nodes)
        self._set([(f"<Machine {name!r}>", _toml.table("[machine]", head | keys) + tables)], of_values=True)

    @classmethod
    def from_file(cls, *paths: PathLike) -> Machine:
        """A machine from its file, or from several files that are read as one.

        Raises:
            OSError: a file cannot be read.
            InputError: a file is wrong; the text names the place and a correction.
        """
        return cls._of([_text_of(path) for path in paths])

    @classmethod
    def from_toml(cls, text: str, name: str = "<machine>") -> Machine:
        """A machine from the text of an input file; messages use ``name``."""
        return cls._of([(_checked.text("name", name), _checked.text("text", text))])

    @property
    def name(self) -> str:
        """Its name."""
        return self._reading.machine_name

    @property
    def nodes(self) -> int:
        """The number of NUMA nodes."""
        return len(self._reading.cores)

    @property
    def gflops_per_core(self) -> np.ndarray:
        """GFLOPS of one core of each node."""
        return self._reading.gflops_per_core

    @property
    def bandwidth_gbs(self) -> np.ndarray:
        """GB/s of the memory of each node."""
        return self._reading.bandwidth_gbs

    @property
    def link_gbs(self) -> np.ndarray:
        """GB/s from the node of the cores (row) to the node of the memory (column); NaN on the diagonal."""
        return self._reading.link_gbs

    def to_toml(self) -> str:
        """The text from which it was read."""
        return "\n".join(text for _, text in self._sources)

    def __repr__(self) -> str:
        return f"<Machine {self.name!r}: {self.nodes} NUMA nodes, {int(self.cores.sum())} cores>"


class App:
    """An application.

    The keyword arguments are the keys of ``[[app]]`` in an input file::

        App("mem", ai=0.5, instances=3)
        App("graph", ai=0.125, data={"home": 0}, max_threads=16)

    Args:
        name: Its name; with several instances they are ``name-1``, ``name-2`` ...
        ai: Arithmetic intensity in FLOP per byte moved to or from memory (``arithmetic_intensity``).
        data: The data placement: ``"local"``, ``"interleave"``, ``"replicated"``, ``{"home": 0}``,
            ``{"home": "any"}`` (explore chooses), ``{"fractions": [...]}``, ``{"fractions": "any"}`` (explore chooses, in
            steps of 1/16).
        keys: All other keys: ``instances``, ``min_threads``, ``max_threads``, ``weight``, ``work_gflop``,
            ``memory_gib`` ...
    """

    def __init__(
        self,
        name: str,
        *,
        ai: float | None = None,
        data: str | Mapping[str, Any] | None = None,
        **keys: Any,
    ) -> None:
        self.name = text("name", name)
        if isinstance(ai, (str, bytes, bool)):
            raise InputTypeError(f"ai is a number, not {shown(ai)}")
        head = {"name": name, "arithmetic_intensity": ai, "data": data}
        self._text = _toml.table("[[app]]", head | keys)

    def to_toml(self) -> str:
        """Its ``[[app]]`` table."""
        return self._text

    def __repr__(self) -> str:
        return f"<App {self.name!r}>"


class Scenario:
    """Threads of every application on every node.

    Args:
        name: Its name.
        threads: For each application, by its own name or that of its group, the threads on each node, or one number
            for every node.
        data: The data placement in this scenario, by application, instead of that of the applications.
        static: Whether the work of each application is divided statically among its threads, so that the slowest
            sets the speed.
    """

    def __init__(
        self,
        name: str,
        threads: Mapping[str, int | Sequence[int] | np.ndarray],
        *,
        data: Mapping[str, Any] | None = None,
        static: bool | None = None,
    ) -> None:
        self.name = text("name", name)
        for what, of_apps in (("threads", threads), ("data", {} if data is None else data)):
            mapping(what, of_apps)
        keys = {"name": name, "threads": threads, "data": data, "static": static}
        self._text = _toml.table("[[scenario]]", keys)

    def to_toml(self) -> str:
        """Its ``[[scenario]]`` table."""
        return self._text

    def __repr__(self) -> str:
        return f"<Scenario {self.name!r}>"


class Study(_Texts):
    """A machine, its applications and scenarios, read and checked together.

    Args:
        machine: The machine.
        apps: The applications.
        scenarios: Allocations to evaluate, or to compare with.

    Raises:
        InputError: they do not match, or one of them is invalid.
    """

    def __init__(self, machine: Machine, apps: Iterable[App] = (), scenarios: Iterable[Scenario] = ()) -> None:
        if not isinstance(machine, Machine):
            raise InputTypeError(f"machine is a Machine, not {shown(machine)}")
        apps, scenarios = _all("apps", App, apps), _all("scenarios", Scenario, scenarios)
        sources = list(machine._sources)
        sources += [(f"<App {app.name!r}>", app.to_toml()) for app in apps]
        sources += [(f"<Scenario {one.name!r}>", one.to_toml()) for one in scenarios]
        self._set(sources, of_values=True)

    @classmethod
    def read(cls, *paths: PathLike) -> Study:
        """The study of input files, read as one, as the command line reads them.

        Raises:
            OSError: a file cannot be read.
            InputError: a file is wrong; the text names the place and a correction.
        """
        return cls._of([_text_of(path) for path in paths])

    @classmethod
    def from_toml(cls, *texts: str) -> Study:
        """The study of these texts of input files; messages call them ``<text 1>``, ``<text 2>`` ..."""
        return cls._of([(f"<text {number}>", text("each text", one)) for number, one in enumerate(texts, 1)])

    def with_scenarios(self, scenarios: Iterable[Scenario]) -> Study:
        """The same study with more scenarios."""
        more = _all("scenarios", Scenario, scenarios)
        made = self.__class__.__new__(self.__class__)
        made._set(self._sources + [(f"<Scenario {one.name!r}>", one.to_toml()) for one in more], of_values=True)
        return made

    @property
    def machine(self) -> str:
        """The name of its machine."""
        return self._reading.machine_name

    @property
    def apps(self) -> list[str]:
        """Names of the application instances."""
        return self._reading.apps

    @property
    def scenarios(self) -> list[str]:
        """Names of the scenarios."""
        return self._reading.scenarios

    @property
    def defaults(self) -> list[tuple[str, str, str, str]]:
        """Every value that is not given, with its default: table, name, key, value."""
        return self._reading.defaults

    def __repr__(self) -> str:
        return f"<Study of {self.machine!r}: {len(self.apps)} applications, {len(self.scenarios)} scenarios>"


Asked = Union[Study, PathLike, Sequence[PathLike]]


def reading_of(asked: Asked) -> Reading:
    """The checked content of a study, or of one or several files."""
    if isinstance(asked, Study):
        return asked._reading
    if isinstance(asked, (str, os.PathLike)):
        asked = [asked]
    if not is_list(asked) or not all(isinstance(path, (str, os.PathLike)) for path in asked):
        raise InputTypeError(f"study is a Study, or one or several paths of files, not {shown(asked)}")
    return Study.read(*asked)._reading
