//! The value of `--pareto`.

use clap::ValueEnum;

use super::ObjectiveName;

/// Two different objectives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ObjectivePair(pub(crate) [ObjectiveName; 2]);

/// Reads `total-gflops,fair`.
pub(super) fn pair(text: &str) -> Result<ObjectivePair, String> {
    let names = || ObjectiveName::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let known = || names().map(|name| name.get_name().to_owned()).collect::<Vec<_>>().join(", ");
    let objective = |name: &str| {
        let name = name.trim();
        ObjectiveName::from_str(name, false)
            .map_err(|_| format!("'{name}' is no objective; choose two of {}", known()))
    };
    let Some((first, second)) = text.split_once(',') else {
        return Err("write two objectives with a comma between them, such as total-gflops,fair".to_owned());
    };
    let pair = [objective(first)?, objective(second)?];
    if pair[0] == pair[1] {
        return Err(format!("a trade-off needs two different objectives; choose two of {}", known()));
    }
    Ok(ObjectivePair(pair))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_different_objectives_make_a_pair() {
        use ObjectiveName::{Fair, TotalGflops};
        assert_eq!(pair("total-gflops,fair"), Ok(ObjectivePair([TotalGflops, Fair])));
        assert_eq!(pair("fair, total-gflops"), Ok(ObjectivePair([Fair, TotalGflops])));
        for wrong in ["fair", "fair,fair", "fair,speed", "fair,geomean,makespan", ""] {
            assert!(pair(wrong).is_err(), "{wrong}");
        }
    }
}
