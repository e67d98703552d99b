//! The effect of each step of the recommended method, on the same points.

use crate::sets::{Judged, NO_SHARING, Part, Role, Summary, is_null_model, summary};
use numasim_draw::grid::{Align, Grid};

use numasim_draw::Style;

use super::{heading, short};

/// A line for each step, a column for the machines of each role.
pub(super) fn table(judged: &[Judged], style: &Style) -> String {
    let steps: Vec<&Judged> = judged.iter().filter(|one| one.part == Part::Steps).collect();
    let mut names: Vec<(&str, &str)> = Vec::new();
    for one in &steps {
        if !names.contains(&(one.model, one.variant.as_str())) {
            names.push((one.model, &one.variant));
        }
    }
    let of = |(model, variant): (&str, &str), role: Role| -> Option<Summary> {
        let own = steps
            .iter()
            .filter(|one| (one.model, one.variant.as_str()) == (model, variant) && one.role == role);
        summary(own.flat_map(|one| &one.points))
    };
    let roles = [Role::Chose, Role::Tests];
    let points = |role: Role| of((NO_SHARING, "no fit"), role).map_or(0, |summary| summary.points);
    let headers = [
        format!("machines that\nchose *,\n{} points", points(Role::Chose)),
        format!("machines that\ntest,\n{} points", points(Role::Tests)),
    ];
    let mut columns = vec![("method", Align::Left)];
    columns.extend(headers.iter().map(|header| (header.as_str(), Align::Right)));
    let mut grid = Grid::new(&columns).named_by(1);
    for name in names {
        let cell = |role: Role| {
            of(name, role)
                .map_or_else(String::new, |one| format!("{:.1} / {:.1}", 100.0 * one.mean, 100.0 * one.worst))
        };
        let (model, variant) = name;
        let label =
            if is_null_model(model) { model.to_owned() } else { format!("{}, {variant}", short(model)) };
        grid.row([label].into_iter().chain(roles.map(cell)).collect());
    }
    let notes = "Mean / worst absolute error in % of the counts that no step fits, all kernels: fewer than above, and the same ones in each row. \
                 Each step has all that the one before it has.";
    format!("{}{}", heading("What each step of the method is worth", notes, style), grid.render(style))
}
