//! Curves of bandwidth over cores: each kernel on each machine, pooled, and the curves that fall.

use crate::sets::scaling::Method;
use crate::sets::totals::{Of, Total, falling, totals};
use crate::sets::{Judged, Part, Role, Summary, is_null_model, summary};
use numasim_draw::grid::{self, Align, Grid};
use numasim_evidence::compare::MODEL_ERROR;

use numasim_draw::Style;

use super::heading;

/// For people: a line for each kernel and machine, a column for each method.
pub(super) fn table(judged: &[Judged], style: &Style) -> String {
    let every: Vec<Vec<Total>> = Of::list(judged).into_iter().map(|of| totals(judged, of)).collect();
    let those = |null: bool| -> Vec<Vec<Total>> {
        let of =
            |list: &Vec<Total>| list.iter().filter(|one| is_null_model(one.model) == null).cloned().collect();
        every.iter().map(of).collect()
    };
    let lists = those(false);
    let Some(all) = lists.first().filter(|list| !list.is_empty()) else { return String::new() };
    let methods: Vec<(&str, &str)> = all
        .iter()
        .filter(|total| total.kernel == all[0].kernel)
        .map(|total| (total.model, total.variant.as_str()))
        .collect();
    let headers: Vec<String> = methods
        .iter()
        .map(|(model, variant)| format!("{}\n{}", model.replacen('-', "-\n", 1), variant.replace('_', "_\n")))
        .collect();
    let mut columns = vec![("kernel", Align::Left), ("curves of", Align::Left), ("points", Align::Right)];
    columns.extend(headers.iter().map(|header| (header.as_str(), Align::Right)));
    let mut grid = Grid::new(&columns).named_by(2);
    for (place, list) in lists.iter().enumerate() {
        for of_kernel in list.chunk_by(|a, b| a.kernel == b.kernel) {
            for row in rows(of_kernel, place == 0) {
                grid.row(row);
            }
        }
    }
    let marked = judged.iter().any(|one| one.role == Role::Chose);
    let notes = format!(
        "Mean / worst absolute error in % of the counts that no fit saw; seen are one core, half, three quarters (of a curve that half the \
         domain saturates: a quarter) and all of the domain. The hard corner is every model without correction: min(n b1, B), b1 from \
         one core, B from all.{}",
        if marked {
            " * : errors of this machine chose the prior and what is done with a super-linear start, see CHOICES.md."
        } else {
            ""
        }
    );
    let title = "Bandwidth over cores of one NUMA domain: four counts are fitted, the others predicted";
    let nulls = null_models(&those(true), style);
    let named = named(
        "These curves fall: some cores have more than all of them. No model says so, and no figure is fitted for it:",
        falling(judged).into_iter().map(|(kernel, set, fall)| format!("{kernel}, {set}: {fall}")),
        style,
    ) + &named(
        "Here the knee is better than ecm, by a percentage point and more in the mean:",
        knees(judged).into_iter(),
        style,
    );
    let held = held(judged, &every.concat(), style);
    format!("{}{}{nulls}{held}{named}", heading(title, &notes, style), grid.render(style))
}

/// The predictions of the null models for the same points.
fn null_models(lists: &[Vec<Total>], style: &Style) -> String {
    let Some(names) = lists.iter().flatten().next().map(|first| {
        let alike = |one: &&Total| one.of == first.of && one.kernel == first.kernel;
        lists.iter().flatten().filter(alike).map(|one| one.model).collect::<Vec<_>>()
    }) else {
        return String::new();
    };
    let mut columns = vec![("kernel", Align::Left), ("curves of", Align::Left), ("points", Align::Right)];
    columns.extend(names.into_iter().map(|name| (name, Align::Right)));
    let mut grid = Grid::new(&columns).named_by(2);
    for of_kernel in lists.iter().flat_map(|list| list.chunk_by(|a, b| a.kernel == b.kernel)) {
        // Pooled: the first row, if machines are left out.
        if let Some(row) = rows(of_kernel, false).into_iter().next() {
            grid.row(row);
        }
    }
    let about = "The same points by null models: as many times what one core has (no-sharing), what all cores have (equal-parts), or a monotone \
                 cubic through the counts that a fit sees (interpolation):";
    format!("\n{}\n\n{}", grid::wrap(about, style.columns()).join("\n"), grid.render(style))
}

/// The rows of a kernel: its machines, all of them, and the mean over machines.
fn rows(of_kernel: &[Total], with_machines: bool) -> Vec<Vec<String>> {
    let Some(first) = of_kernel.first() else { return Vec::new() };
    let kernel = first.kernel.as_deref().unwrap_or("all kernels");
    let row = |name: String, points: String, cells: Vec<String>| {
        [kernel.to_owned(), name, points].into_iter().chain(cells).collect::<Vec<_>>()
    };
    let both = |summary: &Summary| format!("{:.1} / {:.1}", 100.0 * summary.mean, 100.0 * summary.worst);
    let mut rows = Vec::new();
    for (place, machine) in first.machines.iter().enumerate().filter(|_| with_machines) {
        let of = |total: &Total| total.machines.get(place).map_or_else(String::new, |one| both(&one.summary));
        let mark = if machine.role == Role::Chose { " *" } else { "" };
        rows.push(row(
            format!("{}{mark}", machine.name),
            machine.summary.points.to_string(),
            of_kernel.iter().map(of).collect(),
        ));
    }
    let points = first.pooled.points.to_string();
    rows.push(row(
        format!("{}, pooled", first.of.name()),
        points,
        of_kernel.iter().map(|total| both(&total.pooled)).collect(),
    ));
    if first.machines.len() > 1 {
        let means = of_kernel.iter().map(|total| format!("{:.1}", 100.0 * total.of_machines));
        rows.push(row("  mean of machines".to_owned(), String::new(), means.collect()));
    }
    rows
}

/// The number of points within an interval of the model's error, and whether that meets the goal.
fn held(judged: &[Judged], totals: &[Total], style: &Style) -> String {
    let of_all = |total: &&Total| {
        let alone = !totals.iter().any(|one| one.kernel.is_none());
        total.variant == Method::RECOMMENDED.variant() && (alone || total.kernel.is_none())
    };
    let percent = |held: f64| format!("{:.0} %", 100.0 * held);
    let share = |total: &Total| Some(format!("{} of {}", percent(total.pooled.held?), total.of.name()));
    let shares: Vec<String> = totals.iter().filter(of_all).filter_map(share).collect();
    let text = format!(
        "Intervals of 95 % have {} to either side for the error of the model. Around ecm this alone holds {}.",
        percent(MODEL_ERROR),
        shares.join(", ")
    );
    let held_out = || {
        judged.iter().filter(|one| {
            one.part == Part::Scaling
                && one.role != Role::Chose
                && one.variant == Method::RECOMMENDED.variant()
        })
    };
    let coverage = |of: &dyn Fn(&&Judged) -> bool| {
        let points = held_out().filter(of).flat_map(|one| &one.points);
        summary(points)?.held.map(percent)
    };
    let mut unsteady: Vec<&str> =
        held_out().filter(|one| one.is_unsteady).filter_map(|one| one.machine.as_deref()).collect();
    unsteady.sort_unstable();
    unsteady.dedup();
    let is_steady = |one: &&Judged| one.machine.as_deref().is_none_or(|name| !unsteady.contains(&name));
    let all =
        coverage(&|_| true).map(|all| format!("Coverage of held-out points: {all}; the goal is 93 to 97 %."));
    let steady = coverage(&is_steady).filter(|_| !unsteady.is_empty()).map(|steady| {
        let names = unsteady.join(", ");
        format!(
            "Without machines whose repetitions of one count differ by more than 25 % ({names}): {steady}."
        )
    });
    let text = [Some(text), all, steady].into_iter().flatten().collect::<Vec<_>>().join(" ");
    format!("\n{}\n", grid::wrap(&text, style.columns()).join("\n"))
}

/// The curves for which the knee is better than the recommended method, with both means.
fn knees(judged: &[Judged]) -> Vec<String> {
    let by = |method: Method| {
        judged.iter().filter(move |one| one.part == Part::Scaling && one.variant == method.variant())
    };
    let better = by(Method::Knee).filter_map(|knee| {
        let alike = |one: &&Judged| (&one.set, &one.traffic) == (&knee.set, &knee.traffic);
        let [own, ecm] = [knee, by(Method::RECOMMENDED).find(alike)?]
            .map(|one| summary(&one.points).map(|errors| 100.0 * errors.mean));
        let (own, ecm) = (own?, ecm?);
        (own + 1.0 <= ecm).then(|| format!("{}, {}: {own:.1} against {ecm:.1} %", knee.traffic, knee.set))
    });
    better.collect()
}

/// A sentence about some curves, with their names; empty without any.
fn named(about: &str, curves: impl Iterator<Item = String>, style: &Style) -> String {
    let lines: String = curves
        .flat_map(|text| {
            let lines = grid::wrap(&text, style.columns().saturating_sub(4)).into_iter().enumerate();
            lines
                .map(|(place, line)| format!("  {}{line}\n", if place == 0 { "" } else { "  " }))
                .collect::<Vec<_>>()
        })
        .collect();
    if lines.is_empty() {
        return lines;
    }
    format!("\n{}\n{lines}", grid::wrap(about, style.columns()).join("\n"))
}
