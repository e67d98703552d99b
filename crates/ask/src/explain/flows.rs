//! The other models: their rules in short, and who asks for and gets what of each memory.

use numasim_draw::grid::{Align, Grid, wrap};
use numasim_model::sharing::{FlowView, PoolKind};

use numasim_draw::{Style, figures};

use crate::ScenarioView;

/// The rules, then a row for each application, node and memory.
pub(super) fn explain(view: &ScenarioView, style: &Style) -> String {
    let sharing = view.machine.sharing();
    let about = sharing.kind.about();
    let title =
        format!("How {} shares bandwidth (see `numasim models {}`):", sharing.in_words(), about.kind.name());
    let mut text = wrap(&title, style.columns()).join("\n");
    for formula in about.formula {
        text.extend(["\n  ", &wrap(formula, style.columns().saturating_sub(4)).join("\n    ")]);
    }
    text.push_str("\n\n");
    let mut grid = Grid::new(&[
        ("memory of", Align::Left),
        ("read over", Align::Left),
        ("application", Align::Left),
        ("threads", Align::Right),
        ("demand", Align::Right),
        ("is granted", Align::Right),
        ("draws, GB/s per thread", Align::Right),
    ]);
    let flows = &view.evaluation.flows;
    let column =
        |value: &dyn Fn(&FlowView) -> f64| figures::column(&flows.iter().map(value).collect::<Vec<_>>());
    let drawn = |flow: &FlowView| {
        let group = view.evaluation.apps[flow.app.0].per_node[flow.from.0].as_ref();
        group.map_or(0.0, |group| group.bandwidth.value() / f64::from(group.threads.max(1)) * flow.cost())
    };
    let (demand_gbs, granted, drawn) =
        (column(&|flow| flow.demand_gbs), column(&|flow| flow.granted), column(&drawn));
    for (((flow, demand_gbs), granted), drawn) in flows.iter().zip(demand_gbs).zip(granted).zip(drawn) {
        let over = match flow.kind {
            PoolKind::Own => "its own controller".to_owned(),
            PoolKind::Link => format!("link {}{}{}", flow.from.0, style.arrow(), flow.memory.0),
        };
        grid.row(vec![
            flow.memory.to_string(),
            over,
            view.apps[flow.app.0].name.clone(),
            flow.threads.to_string(),
            demand_gbs,
            granted,
            drawn,
        ]);
    }
    text + &grid.render(style)
}
