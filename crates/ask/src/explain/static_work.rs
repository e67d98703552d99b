//! Work that was divided beforehand: from the rates of threads to that of the slowest.

use numasim_draw::figures::short;
use numasim_draw::grid::wrap;

use numasim_draw::{Style, figures};

use crate::ScenarioView;

/// Application by application `threads x rate of the slowest`, and their sum; nothing where work is not divided beforehand.
pub(super) fn text(view: &ScenarioView, style: &Style) -> String {
    if !view.evaluation.static_work {
        return String::new();
    }
    let rule = "Static work: each application's work is divided equally among its threads beforehand, and the slowest thread \
                decides. GB/s are means over the time that it takes; that those who still run have more bandwidth when others are \
                done is left out.";
    let mut lines = wrap(rule, style.columns());
    for app in view.active_apps() {
        let result = &view.evaluation.apps[app.0];
        let Some(slowest) = result.slowest else { continue };
        let Some(group) = result.per_node.get(slowest.0).and_then(Option::as_ref) else { continue };
        let rate = group.working.value() / f64::from(group.threads);
        let threads = view.allocation.total(app);
        lines.push(format!(
            "  {}: {} * {} (a thread on {slowest}) = {} GFLOPS",
            view.apps[app.0].name,
            figures::count(threads, "thread"),
            short(rate),
            short(result.gflops.value()),
        ));
    }
    lines.push(format!("  total: {} GFLOPS", short(view.evaluation.total.value())));
    format!("\n{}\n", lines.join("\n"))
}
