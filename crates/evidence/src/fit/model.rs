//! The model of the machine as the function that a fit asks.

use numasim_model::sharing::Solver;
use numasim_model::{Machine, Scenario, Study};

/// Predicts with the fast solver of the model.
pub fn by_solver(study: &Study) -> impl Fn(&Machine, &Scenario) -> Result<Vec<f64>, String> + '_ {
    |machine, scenario| {
        let demands = study.demands(scenario).map_err(|open| {
            let app = &study.apps[open.app.0].name;
            format!("scenario '{}': the home of the data of '{app}' is open", scenario.name)
        })?;
        scenario
            .allocation
            .fits(machine)
            .map_err(|error| format!("scenario '{}': {error}", scenario.name))?;
        let solver = Solver::new(machine, &demands);
        let mut workspace = solver.workspace();
        solver.solve(scenario.allocation.as_slice(), &mut workspace);
        if scenario.static_work {
            solver.wait_for_slowest(&mut workspace);
        }
        Ok(workspace.gflops().to_vec())
    }
}
