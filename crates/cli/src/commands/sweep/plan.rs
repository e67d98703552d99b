//! From the command line to what is computed at which points.

use std::ops::Range;

use numasim_ask::located::Located;
use numasim_ask::sweep::{Exploring, Simulating, Sweep, Work, sweep};
use numasim_model::Study;
use numasim_policy::PolicyName;
use numasim_sim::Restrictions;
use serde_json::{Value, json};

use crate::args::{ObjectiveName, Shard, SweepArgs};
use crate::commands::explore;
use crate::failure::Failure;

/// As of `numasim simulate`.
const SEED_OF_TASKS: u64 = 1;

/// Everything that decides the rows.
pub(super) struct Plan {
    pub(super) sweep: Sweep,
    /// The points of this shard.
    pub(super) points: Range<u64>,
    /// Whether the rows begin with the header.
    pub(super) header: bool,
    /// Whether it is a part of a sweep, which leaves a receipt beside its rows.
    pub(super) is_part: bool,
    /// What tells this sweep from others, for the partial file.
    pub(super) identity: Value,
}

impl Plan {
    /// Checks the command line against the study.
    pub(super) fn new(args: &SweepArgs, study: Study, located: &Located) -> Result<Self, Failure> {
        let shard = args.shard.unwrap_or(Shard::WHOLE);
        let identity = identity(args, &study, shard);
        let work = work(args, &study)?;
        let sweep = sweep(study, located, &args.set, work)?;
        Ok(Self {
            points: shard.of(sweep.grid().points()),
            header: shard.is_first(),
            is_part: args.shard.is_some(),
            sweep,
            identity,
        })
    }
}

/// What is done at every point.
fn work(args: &SweepArgs, study: &Study) -> Result<Work, Failure> {
    if args.explore {
        return Ok(Work::Explore(Exploring {
            objective: explore::objective(args.objective.unwrap_or(ObjectiveName::TotalGflops)),
            restrictions: Restrictions {
                same_on_every_node: args.same_on_every_node,
                whole_nodes: args.whole_nodes,
                min_threads_per_node: args.min_threads_per_node.unwrap_or(0),
                no_idle_cores: args.no_idle_cores,
            },
            seed: args.seed.unwrap_or(0),
            time_limit: args.time_limit,
        }));
    }
    if args.simulate {
        let seed = args.seed.unwrap_or(SEED_OF_TASKS);
        return Ok(Work::Simulate(Simulating { policies: args.policy.clone(), seed, until_s: args.until }));
    }
    Ok(Work::evaluate(study, &args.scenario)?)
}

/// Everything that has an influence on the rows, by names that people know.
fn identity(args: &SweepArgs, study: &Study, shard: Shard) -> Value {
    json!({
        "schema": 1,
        "command": "sweep",
        "numasim": env!("CARGO_PKG_VERSION"),
        "model": study.machine.sharing().name(),
        "files": format!("{:016x}", fnv1a(format!("{study:?}").as_bytes())),
        "--set": args.set,
        "--scenario": args.scenario,
        "--explore": args.explore,
        "--objective": args.objective.map(|name| explore::objective(name).name()),
        "--same-on-every-node": args.same_on_every_node,
        "--whole-nodes": args.whole_nodes,
        "--min-threads-per-node": args.min_threads_per_node,
        "--no-idle-cores": args.no_idle_cores,
        "--time-limit": args.time_limit.map(|limit| limit.as_secs_f64()),
        "--simulate": args.simulate,
        "--policy": args.policy.iter().map(PolicyName::to_string).collect::<Vec<_>>(),
        "--until": args.until,
        "--seed": args.seed,
        "--shard": shard.to_string(),
    })
}

/// The 64-bit FNV-1a hash: the same on every platform and in every version of Rust.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
