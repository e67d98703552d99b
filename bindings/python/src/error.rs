//! Errors as exceptions of `numasim._errors`.

use numasim_ask::refusal::Refusal;
use numasim_ask::{diagnostics, limits};
use numasim_study::{Problem, ProblemKind, SourceFile};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Looks up an exception of the package by name.
fn raise(py: Python<'_>, class: &str, message: &str, problems: &Bound<'_, PyList>) -> PyErr {
    let made =
        py.import("numasim._errors").and_then(|module| module.getattr(class)?.call1((message, problems)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// An error in the input. The text shows the place as the command line prints it, without colours.
pub(crate) fn located(py: Python<'_>, problems: &[Problem], sources: &[SourceFile]) -> PyErr {
    located_as(py, "InputError", problems, sources)
}

/// As [`located`], for text that is generated from Python values: a wrong type in that text is a wrong argument type.
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

/// The individual problems, for programs.
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

/// A question without an answer. The text is that of the command line, without colours.
pub(crate) fn refused(py: Python<'_>, refusal: &Refusal) -> PyErr {
    match refusal {
        Refusal::Said(_) | Refusal::Interrupted => input(py, &refusal.text(false)),
        Refusal::Infeasible(_) => infeasible(py, &refusal.text(false)),
        Refusal::Fault(_) => raise(py, "Fault", &refusal.text(false), &PyList::empty(py)),
        Refusal::Located { problems, sources } => located(py, problems, sources),
    }
}

/// The same for a search. Constraints that no placement meets raise a separate exception, even if a line of the files causes
/// them.
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

/// An invalid question.
pub(crate) fn input(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "InputError", message, &PyList::empty(py))
}

/// A question without an answer.
pub(crate) fn infeasible(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "InfeasibleError", message, &PyList::empty(py))
}

/// A warning about a result.
pub(crate) fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    py.import("numasim._errors")?.getattr("warn")?.call1((message,)).map(|_| ())
}

/// Parses a value by its command-line name.
pub(crate) fn named<T: Copy>(
    py: Python<'_>,
    what: &str,
    name: &str,
    all: &[T],
    of: fn(T) -> &'static str,
) -> PyResult<T> {
    limits::named(what, name, all, of).map_err(|why| input(py, &why))
}
