//! What is wrong, as exceptions of `numasim._errors`.

use numasim_ask::refusal::Refusal;
use numasim_ask::{diagnostics, limits};
use numasim_study::{Problem, ProblemKind, SourceFile};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// An exception of the package by its name.
fn raise(py: Python<'_>, class: &str, message: &str, problems: &Bound<'_, PyList>) -> PyErr {
    let made =
        py.import("numasim._errors").and_then(|module| module.getattr(class)?.call1((message, problems)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// The input is wrong, and the text shows where: as the command line prints it, without colours.
pub(crate) fn located(py: Python<'_>, problems: &[Problem], sources: &[SourceFile]) -> PyErr {
    located_as(py, "InputError", problems, sources)
}

/// As [`located`], where the text is written from values of Python: a wrong type there is a wrong type here.
pub(crate) fn of_values(py: Python<'_>, problems: &[Problem], sources: &[SourceFile]) -> PyErr {
    let of_type = problems.iter().all(|problem| problem.kind == ProblemKind::WrongType);
    located_as(py, if of_type { "InputTypeError" } else { "InputError" }, problems, sources)
}

fn located_as(py: Python<'_>, class: &str, problems: &[Problem], sources: &[SourceFile]) -> PyErr {
    let text = diagnostics::render(problems, sources, false);
    match listed(py, problems, sources) {
        Ok(list) => raise(py, class, text.trim_end(), &list),
        Err(error) => error,
    }
}

/// The problems one by one, for programs.
fn listed<'py>(
    py: Python<'py>,
    problems: &[Problem],
    sources: &[SourceFile],
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for problem in problems {
        let one = PyDict::new(py);
        let source = problem.place.as_ref().and_then(|place| sources.get(place.file));
        let span = problem.place.as_ref().and_then(|place| place.span.clone());
        let before = source.zip(span).and_then(|(source, span)| source.text.get(..span.start));
        one.set_item("message", &problem.message)?;
        one.set_item("file", source.map(|source| source.name.as_str()))?;
        one.set_item("line", before.map(|text| text.matches('\n').count() + 1))?;
        let column = |text: &str| text.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        one.set_item("column", before.map(column))?;
        one.set_item("hint", problem.hint.as_deref())?;
        list.append(one)?;
    }
    Ok(list)
}

/// The question has no answer, and the text is that of the command line, without colours.
pub(crate) fn refused(py: Python<'_>, refusal: &Refusal) -> PyErr {
    match refusal {
        Refusal::Said(_) | Refusal::Interrupted => input(py, &refusal.text(false)),
        Refusal::Infeasible(_) => infeasible(py, &refusal.text(false)),
        Refusal::Fault(_) => raise(py, "Fault", &refusal.text(false), &PyList::empty(py)),
        Refusal::Located { problems, sources } => located(py, problems, sources),
    }
}

/// The same of a search: what no placement can keep to has an exception of its own, also if a line of the files is its cause.
pub(crate) fn without_placement(py: Python<'_>, refusal: &Refusal) -> PyErr {
    match refusal {
        Refusal::Located { problems, sources }
            if problems.iter().all(|problem| problem.kind == ProblemKind::Infeasible) =>
        {
            located_as(py, "InfeasibleError", problems, sources)
        }
        other => refused(py, other),
    }
}

/// The question is wrong.
pub(crate) fn input(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "InputError", message, &PyList::empty(py))
}

/// The question has no answer.
pub(crate) fn infeasible(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "InfeasibleError", message, &PyList::empty(py))
}

/// Something to know beside a result.
pub(crate) fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    py.import("numasim._errors")?.getattr("warn")?.call1((message,)).map(|_| ())
}

/// A value by the name that the command line takes.
pub(crate) fn named<T: Copy>(
    py: Python<'_>,
    what: &str,
    name: &str,
    all: &[T],
    of: fn(T) -> &'static str,
) -> PyResult<T> {
    limits::named(what, name, all, of).map_err(|why| input(py, &why))
}
