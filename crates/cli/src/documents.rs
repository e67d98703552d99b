//! The JSON output of commands (`numasim schema COMMAND`): each document is the serialisation of a type of `numasim_ask`, from which its
//! JSON Schema is generated.

use clap::ValueEnum;
use numasim_ask::measuring::{Benched, Calibrated, PlannedBench, PlannedCalibration};
use numasim_ask::plan::{GraphPlan, ProfilePlan};
use numasim_ask::schema::{self, Either};
use numasim_ask::simulate::Replayed;
use numasim_ask::tasks::Real;
use numasim_ask::{
    Checked, Evaluated, EvaluatedUnderAll, Explored, Machines, Simulation, TasksAnswer, advise, catalog,
    compare, detect, discriminate, fit, models, pareto, run, snapshot, sweep,
};
use serde_json::Value;

macro_rules! documents {
    ($($name:ident: $type:ty = $command:literal;)*) => {
        /// A document that has a schema, by its command.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub(crate) enum Document {
            $(#[doc = concat!("What `", $command, " --format json` writes")] $name,)*
        }

        /// The JSON Schema (draft 2020-12) of a document.
        pub(crate) fn json_schema(document: Document) -> Value {
            match document {
                $(Document::$name => schema::of::<$type>($command),)*
            }
        }
    };
}

documents! {
    Evaluate: Either<Evaluated, EvaluatedUnderAll> = "evaluate";
    Explore: Explored = "explore";
    Pareto: pareto::Front = "explore --pareto";
    Machines: Machines = "explore --machine";
    Compare: compare::Compared = "compare";
    Fit: fit::Fitted = "fit";
    Simulate: Either<Simulation, Replayed> = "simulate";
    Tasks: Either<TasksAnswer, Real> = "tasks";
    Plan: Either<ProfilePlan, GraphPlan<'static>> = "plan";
    Sweep: sweep::Document = "sweep";
    Run: run::HostRun = "run";
    Bench: Either<Benched, PlannedBench> = "bench";
    Calibrate: Either<Calibrated, PlannedCalibration> = "calibrate";
    Check: Checked<'static> = "check";
    Detect: detect::Detected<'static> = "detect";
    Models: models::Described = "models";
    Discriminate: discriminate::Discriminated = "discriminate";
    Catalog: catalog::Catalog = "catalog";
    Snapshot: snapshot::Snapshot = "snapshot";
    Advise: advise::Advice = "advise";
}
