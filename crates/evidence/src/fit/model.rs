//! The model of the machine as the function that a fit asks.

use numasim_model::sharing::{Demand, Solver};
use numasim_model::{AppId, Machine, Placement, Scenario, Study};

/// Predicts with the fast solver of the model.
pub fn by_solver(study: &Study) -> impl Fn(&Machine, &Scenario) -> Result<Vec<f64>, String> + '_ {
    |machine, scenario| {
        let mut demands = Vec::with_capacity(study.apps.len());
        for (place, (app, data)) in study.apps.iter().zip(&scenario.data).enumerate() {
            let placement = match data.placement() {
                Some(placement) => placement.clone(),
                // Nobody reads it.
                None if scenario.allocation.total(AppId(place)) == 0 => Placement::Local,
                None => {
                    return Err(format!(
                        "scenario '{}': the home of the data of '{}' is open",
                        scenario.name, app.name
                    ));
                }
            };
            demands.push(Demand { arithmetic_intensity: app.arithmetic_intensity, placement });
        }
        scenario
            .allocation
            .fits(machine)
            .map_err(|error| format!("scenario '{}': {error}", scenario.name))?;
        let solver = Solver::new(machine, &demands);
        let mut workspace = solver.workspace();
        solver.solve(scenario.allocation.as_slice(), &mut workspace);
        Ok(workspace.gflops().to_vec())
    }
}
