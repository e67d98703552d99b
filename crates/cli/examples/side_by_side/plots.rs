//! Results as pictures.

use numasim_draw::Heading;
use numasim_draw::shaded::{NameGroup, ShadedCell, ShadedTable};

use crate::codes::Kind;
use crate::rows::Row;
use crate::summary::judged;
use crate::text::{cell, codes};
use crate::ways::{Knows, Way};

/// All larger values have the same colour.
const MOST: f64 = 5.0;

/// Three digits.
fn shown(factor: f64) -> String {
    match factor {
        x if x < 9.995 => format!("{x:.2}"),
        x if x < 99.95 => format!("{x:.1}"),
        x => format!("{x:.0}"),
    }
}

/// The schedulers by the information that they use, in the order of the groups.
fn schedulers() -> (Vec<NameGroup>, Vec<Way>) {
    let (mut groups, mut ways) = (Vec::new(), Vec::new());
    for knows in Knows::ALL {
        let all: Vec<Way> = Way::all().into_iter().filter(|way| way.knows() == knows).collect();
        let title = match knows {
            Knows::Nothing => "knows nothing of data",
            Knows::Accesses => "sees what tasks access",
            Knows::Programmer => "is told by programmer",
            Knows::Profile => "has a profile",
            Knows::Everything => "knows all beforehand",
        };
        groups.push(NameGroup { title: title.to_owned(), names: all.iter().map(|way| way.name()).collect() });
        ways.extend(all);
    }
    (groups, ways)
}

/// Every scheduler on every code of a machine.
pub(crate) fn machine(title: &str, rows: &[Row]) -> String {
    let codes = codes(rows);
    let (groups, ways) = schedulers();
    let mut columns = Vec::new();
    for kind in Kind::ALL {
        let is_of = |code: &&str| rows.iter().any(|row| row.code == *code && row.kind == kind);
        let names = codes.iter().copied().filter(is_of).map(str::to_owned).collect();
        columns.push(NameGroup { title: kind.word().to_owned(), names });
    }
    let cells = ways.iter().flat_map(|&way| codes.iter().map(move |code| cell(rows, code, way)));
    let cells = cells.map(|row| {
        let factor = row?.over_best;
        Some(ShadedCell { factor, lines: vec![shown(factor)], best: factor <= 1.0 })
    });
    let best = |code: &&str| {
        let best = rows.iter().find(|row| row.code == *code && row.over_best <= 1.0);
        best.map_or(String::new(), |row| shown(row.over_bound))
    };
    let table = ShadedTable {
        heading: Heading {
            title: title.to_owned(),
            subtitle: "simulated; empty: the scheduler has no meaning for the code".to_owned(),
        },
        label: "makespan / that of the best scheduler for the code (1.00, bold)".to_owned(),
        columns,
        rows: groups,
        foot: Some(("best / lower bound".to_owned(), codes.iter().map(best).collect())),
        cells: cells.collect(),
        most: MOST,
    };
    table.svg()
}

/// Every scheduler on every kind of graph, over all machines.
pub(crate) fn kinds(rows: &[Row]) -> String {
    let (groups, ways) = schedulers();
    let of = |kind: Kind| ways.iter().filter_map(move |&way| judged(rows, way, Some(kind)));
    let best = Kind::ALL.map(|kind| of(kind).map(|one| one.mean).fold(f64::INFINITY, f64::min));
    let cells = ways.iter().flat_map(|&way| {
        Kind::ALL.into_iter().zip(best).map(move |(kind, best)| {
            let one = judged(rows, way, Some(kind))?;
            let lines = vec![shown(one.mean), format!("worst {}", shown(one.worst))];
            Some(ShadedCell { factor: one.mean, lines, best: one.mean <= best })
        })
    });
    let names = Kind::ALL.map(|kind| kind.word().to_owned()).to_vec();
    let table = ShadedTable {
        heading: Heading {
            title: "Which scheduler for which kind of graph".to_owned(),
            subtitle: "simulated; geometric mean over codes and machines, and the worst of them".to_owned(),
        },
        label: "makespan / that of the best scheduler for each code and machine".to_owned(),
        columns: vec![NameGroup { title: "kinds of graphs".to_owned(), names }],
        rows: groups,
        cells: cells.collect(),
        foot: None,
        most: MOST,
    };
    table.svg()
}
