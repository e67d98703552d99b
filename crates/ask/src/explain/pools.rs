//! Steps 2, 4 and 5 of the model: how a link or a node's own part of its memory is split, row by row.

use numasim_draw::figures::{self, short};
use numasim_model::sharing::PoolKind;
use numasim_model::sharing::trace::{FlowTrace, PoolTrace};

use super::{MemoryClass, Sheet, limits};
use crate::wording::unit_title;
use numasim_draw::Style;

use crate::ScenarioView;

/// A sheet for each pool of a memory; links with the same calculation share one.
pub(super) fn sheets(view: &ScenarioView, class: &MemoryClass, style: &Style) -> Vec<Sheet> {
    let mut classes: Vec<(Vec<usize>, &PoolTrace)> = Vec::new();
    for pool in &class.trace.pools {
        let same = |other: &PoolTrace| {
            let core = |pool: &PoolTrace| *view.machine.node(pool.from);
            PoolTrace { from: pool.from, ..other.clone() } == *pool
                && core(other).gflops_per_core == core(pool).gflops_per_core
                && core(other).core_bandwidth == core(pool).core_bandwidth
        };
        match classes.iter_mut().find(|(_, other)| same(other)) {
            Some((from, _)) => from.push(pool.from.0),
            None => classes.push((vec![pool.from.0], pool)),
        }
    }
    classes.iter().map(|(from, pool)| sheet(view, class, from, pool, style)).collect()
}

/// Equal instances: a column of the sheet.
struct Column<'a> {
    instances: u32,
    flow: &'a FlowTrace,
}

impl Column<'_> {
    /// Threads of all instances.
    fn threads(&self) -> f64 {
        f64::from(self.instances) * f64::from(self.flow.threads)
    }
}

fn columns<'a>(view: &ScenarioView, pool: &'a PoolTrace, mixed: bool) -> (Vec<String>, Vec<Column<'a>>) {
    let mut columns: Vec<Column> = Vec::new();
    for flow in &pool.flows {
        let same = |other: &FlowTrace| {
            view.apps[other.app.0].group == view.apps[flow.app.0].group
                && FlowTrace { app: flow.app, ..other.clone() } == *flow
        };
        match columns.iter_mut().find(|column| same(column.flow)) {
            Some(column) => column.instances += 1,
            None => columns.push(Column { instances: 1, flow }),
        }
    }
    let names = columns.iter().map(|column| {
        let app = &view.apps[column.flow.app.0];
        let all = view.apps.iter().filter(|other| other.group == app.group).count();
        match column.instances {
            1 if !mixed => app.name.clone(),
            many if many as usize == all => app.group.clone(),
            many => format!("{many} of {}", app.group),
        }
    });
    (names.collect(), columns)
}

fn heading(class: &MemoryClass, from: &[usize], pool: &PoolTrace, style: &Style) -> String {
    let readers = if pool.kind == PoolKind::Own { &class.nodes } else { from };
    let each = if readers.len() > 1 { ", each:" } else { ":" };
    match pool.kind {
        PoolKind::Own => {
            let links = class.trace.pools.iter().any(|other| other.kind == PoolKind::Link);
            let what = if links { "the rest of their local memory" } else { "their own memory" };
            format!("Threads of {}{each} {what}, {} GB/s", figures::nodes(readers), short(pool.available))
        }
        PoolKind::Link => format!(
            "Threads of {}{each} link {} {} {}, {} GB/s",
            figures::nodes(readers),
            figures::ranges(from),
            style.arrow(),
            class.trace.memory.0,
            short(pool.available)
        ),
    }
}

#[allow(clippy::too_many_lines, reason = "one statement per row of the paper's table, in its order")]
fn sheet(view: &ScenarioView, class: &MemoryClass, from: &[usize], pool: &PoolTrace, style: &Style) -> Sheet {
    let (names, columns) = columns(view, pool, class.mixed);
    let mut sheet = Sheet::new(heading(class, from, pool, style), names);
    let each = |cell: &dyn Fn(&Column) -> String| columns.iter().map(cell).collect::<Vec<_>>();
    let sum = |term: &dyn Fn(&Column) -> String, value: f64| {
        let terms = each(term).join(" + ");
        if terms == short(value) { terms } else { format!("{terms} = {}", short(value)) }
    };
    let intensity = |c: &Column| view.apps[c.flow.app.0].arithmetic_intensity;
    let what = if pool.kind == PoolKind::Own { "node" } else { "link" };

    sheet.cells("arithmetic intensity (AI)", "", each(&|c| short(intensity(c).value())));
    sheet.cells("number of instances", "", each(&|c| c.instances.to_string()));
    sheet.cells("threads per NUMA node", "", each(&|c| c.flow.threads.to_string()));
    let partial = columns.iter().any(|c| c.flow.fraction < 1.0);
    let writes = columns.iter().any(|c| c.flow.occupied != 1.0);
    let roof = limits::formula(view, &columns.iter().map(|c| (c.flow.app, pool.from)));
    sheet.cells(
        "peak memory bandwidth per thread",
        &[
            roof.as_str(),
            if partial { " * fraction here" } else { "" },
            if writes { " * as reads" } else { "" },
        ]
        .concat(),
        each(&|c| demand_gbs(&limits::figures(view, c.flow.app, pool.from), c.flow)),
    );
    sheet.cells(
        "peak memory bandwidth per instance",
        "per-thread * #threads",
        each(&|c| product(c.flow.demand_gbs, f64::from(c.flow.threads))),
    );
    sheet.cells(
        "total memory bandwidth of all instances",
        "per-instance * #instances",
        each(&|c| product(c.flow.demand_gbs * f64::from(c.flow.threads), f64::from(c.instances))),
    );
    sheet.span("total required bandwidth", "", sum(&|c| short(c.flow.demand_gbs * c.threads()), pool.wanted));
    sheet.span(
        "baseline GB/s per thread",
        "total GB/s / #cores",
        format!("{}/{} = {}", short(pool.available), pool.cores, short(pool.baseline)),
    );
    sheet.cells(
        "allocated baseline per thread",
        "min(peak, baseline)",
        each(&|c| {
            let (demand_gbs, got) = (short(c.flow.demand_gbs), short(c.flow.allocated_baseline));
            format!("min({demand_gbs}, {}) = {got}", short(pool.baseline))
        }),
    );
    let per_thread =
        |c: &Column, value: f64| format!("{} * {} * {}", c.instances, c.flow.threads, short(value));
    sheet.span(
        &format!("allocated {what} GB/s"),
        if style.unicode {
            "Σ #apps * #threads * GB/s per thread"
        } else {
            "sum of #apps * #threads * GB/s per thread"
        },
        sum(&|c| per_thread(c, c.flow.allocated_baseline), pool.allocated_baseline),
    );
    sheet.span(
        &format!("remaining {what} GB/s"),
        "",
        format!("{} - {} = {}", short(pool.available), short(pool.allocated_baseline), short(pool.remaining)),
    );
    sheet.cells(
        "still required GB/s per thread",
        "peak - allocated",
        each(&|c| {
            let (demand_gbs, got) = (short(c.flow.demand_gbs), short(c.flow.allocated_baseline));
            format!("{demand_gbs} - {got} = {}", short(c.flow.still_required))
        }),
    );
    sheet.span(
        "still required GB/s",
        "",
        sum(&|c| per_thread(c, c.flow.still_required), pool.still_required),
    );
    remainder(&mut sheet, pool, &columns, what);
    sheet.cells(
        "total allocated to each thread",
        "baseline + split remainder",
        each(&|c| {
            let (base, share) = (short(c.flow.allocated_baseline), short(c.flow.share));
            format!("{base} + {share} = {}", short(c.flow.granted))
        }),
    );
    if columns.iter().all(|c| c.flow.fraction < 1.0) {
        return sheet;
    }
    let below = || "see data on several nodes".to_owned();
    let unit = unit_title(columns.iter().map(|c| &view.apps[c.flow.app.0]));
    sheet.cells(
        &format!("{unit} per thread"),
        if writes { "allocated GB/s / as reads * AI" } else { "allocated GB/s * AI" },
        each(&|c| {
            let (granted, intensity) = (c.flow.granted, intensity(c).value());
            if c.flow.fraction < 1.0 {
                below()
            } else if c.flow.occupied == 1.0 {
                product(granted, intensity)
            } else {
                let (gflops, occupied) = (granted / c.flow.occupied * intensity, short(c.flow.occupied));
                format!("{} / {occupied} * {} = {}", short(granted), short(intensity), short(gflops))
            }
        }),
    );
    let kept = |c: &Column| limits::kept(view, c.flow.app);
    let loses = columns.iter().any(|c| kept(c).is_some());
    if loses {
        sheet.cells(
            "kept on several nodes",
            "1 / (1 + node_overhead * log2 nodes)",
            each(&|c| kept(c).map_or("1".to_owned(), |(how, share)| format!("{how} = {}", short(share)))),
        );
    }
    sheet.cells(
        &format!("{unit} per application"),
        if loses { "#threads * per-thread * kept" } else { "#threads * per-thread" },
        each(&|c| match kept(c) {
            _ if c.flow.fraction < 1.0 => below(),
            None => product(f64::from(c.flow.threads), c.flow.gflops),
            Some((_, share)) => format!(
                "{} * {} * {} = {}",
                c.flow.threads,
                short(c.flow.gflops / share),
                short(share),
                short(f64::from(c.flow.threads) * c.flow.gflops)
            ),
        }),
    );
    sheet
}

/// How the remainder is split: evenly among threads with the same demand, as in the paper, else in proportion.
fn remainder(sheet: &mut Sheet, pool: &PoolTrace, columns: &[Column], what: &str) {
    const TITLE: &str = "remainder given to a thread";
    let unsatisfied: Vec<&Column> = columns.iter().filter(|c| c.flow.still_required > 0.0).collect();
    let Some(first) = unsatisfied.first() else {
        return sheet.span(TITLE, "no thread demands more", "0".to_owned());
    };
    let nothing_left = pool.remaining <= 1e-9 * pool.available;
    if pool.remaining >= pool.still_required {
        let cells = columns.iter().map(|c| short(c.flow.share)).collect();
        return sheet.cells(TITLE, "enough for all: what it still requires", cells);
    }
    if nothing_left || unsatisfied.iter().all(|c| c.flow.still_required == first.flow.still_required) {
        let threads: Vec<String> =
            unsatisfied.iter().map(|c| format!("{} * {}", c.instances, c.flow.threads)).collect();
        let figure =
            format!("{}/({}) = {}", short(pool.remaining), threads.join(" + "), short(first.flow.share));
        return sheet.span(TITLE, &format!("remaining {what} GB/s / unsatisfied threads"), figure);
    }
    let (remaining, all) = (short(pool.remaining), short(pool.still_required));
    let cells = columns
        .iter()
        .map(|c| format!("{remaining} * {}/{all} = {}", short(c.flow.still_required), short(c.flow.share)))
        .collect();
    sheet.cells(TITLE, &format!("remaining {what} GB/s * its part of still required"), cells);
}

/// `10/0.5 = 20`: the demand of a thread, with the fraction of the data and the weight of a GB/s of the kernel, if they matter.
fn demand_gbs(limits: &str, flow: &FlowTrace) -> String {
    let mut formula = limits.to_owned();
    if flow.fraction < 1.0 {
        formula = format!("{formula} * {}", short(flow.fraction));
    }
    if flow.occupied != 1.0 {
        formula = format!("{formula} * {}", short(flow.occupied));
    }
    format!("{formula} = {}", short(flow.demand_gbs))
}

fn product(a: f64, b: f64) -> String {
    format!("{} * {} = {}", short(a), short(b), short(a * b))
}
