//! Charts of plain values as SVG, in the look of the command line.

use numasim_draw::bars::{Group, GroupBar, GroupPlot};
use numasim_draw::heat_map::HeatMap;
use numasim_draw::line::{Line, LinePlot};
use numasim_draw::{Axis, Heading, Scale};
use pyo3::prelude::*;

/// A title, and the line below it.
type Titles = (String, String);

fn heading((title, subtitle): Titles) -> Heading {
    Heading { title, subtitle }
}

/// The values of an axis: numbers, or words.
#[derive(FromPyObject)]
pub(crate) enum Values {
    Numbers(Vec<f64>),
    Words(Vec<String>),
}

fn axis((label, values): (String, Values)) -> Axis {
    let scale = match values {
        Values::Numbers(numbers) => Scale::Linear(numbers),
        Values::Words(words) => Scale::Words(words),
    };
    Axis { label, scale }
}

/// Groups of bars: for each group its name, and the value of each series. `marks`: what the marks mean, and the mark of each group.
#[pyfunction]
pub(crate) fn bars_svg(
    titles: Titles,
    label: String,
    series: Vec<String>,
    groups: Vec<(String, Vec<f64>)>,
    marks: (String, Vec<Option<f64>>),
) -> String {
    let all = groups.len();
    let group = |((name, values), mark): ((String, Vec<f64>), Option<f64>)| Group {
        name,
        bars: values.into_iter().map(|value| GroupBar { value, range: None, mark }).collect(),
    };
    let marks_of_groups = marks.1.into_iter().chain(std::iter::repeat(None));
    GroupPlot {
        heading: heading(titles),
        label,
        series,
        ranges: String::new(),
        marks: marks.0,
        line: 0.0,
        groups: groups.into_iter().zip(marks_of_groups).map(group).collect(),
        sums_from: all,
    }
    .svg()
}

/// Lines over one axis, each with its name.
#[pyfunction]
pub(crate) fn lines_svg(
    titles: Titles,
    x: (String, Values),
    y: String,
    lines: Vec<(String, Vec<f64>)>,
) -> String {
    let lines = lines.into_iter().map(|(name, values)| Line { name, values }).collect();
    LinePlot { heading: heading(titles), x: axis(x), y, lines }.svg()
}

/// One quantity over two axes: `values[i * y + j]` at the i-th value of x and the j-th of y.
#[pyfunction]
pub(crate) fn heat_svg(
    titles: Titles,
    x: (String, Values),
    y: (String, Values),
    label: String,
    values: Vec<f64>,
) -> String {
    HeatMap {
        heading: heading(titles),
        x: axis(x),
        y: axis(y),
        label,
        values,
        best: None,
        numbers: true,
        gap: "no result",
    }
    .svg()
}
