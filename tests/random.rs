//! The number and choice of random questions in a property test. Every crate that has such tests includes this file.

use proptest::test_runner::{Config, RngSeed};

/// `cases` questions, the same ones in every run.
///
/// `PROPTEST_RNG_SEED=NUMBER` draws others, `NUMASIM_TEST_CASES=8` draws eight times as many: `.ci/full` does both. A
/// question that fails is added to the folder `proptest-regressions` of its crate and is asked first from then on.
pub(crate) fn questions(cases: u32) -> Config {
    let chosen = Config::default();
    let times = std::env::var("NUMASIM_TEST_CASES").map_or(1, |times| {
        times.parse().unwrap_or_else(|_| panic!("NUMASIM_TEST_CASES={times} is not a number of times"))
    });
    Config {
        cases: cases.saturating_mul(times),
        max_local_rejects: chosen.max_local_rejects.saturating_mul(times),
        max_global_rejects: chosen.max_global_rejects.saturating_mul(times),
        rng_seed: match chosen.rng_seed {
            RngSeed::Random => RngSeed::Fixed(1),
            asked_for @ RngSeed::Fixed(_) => asked_for,
        },
        ..chosen
    }
}
