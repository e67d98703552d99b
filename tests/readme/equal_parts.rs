//! The guide quotes the measurements of the host with two cores correctly: a model without any rule of sharing is equally
//! good.

use std::collections::BTreeMap;

const FOLDER: &str = "results/2026-11-21-2-core-vm-model-versus-real";
/// From the machine file there: GB/s of the controller, GB/s that one thread can draw, GFLOPS of a core.
const CONTROLLER: f64 = 40.88;
const CORE: f64 = 21.55;
const PEAK: f64 = 117.6;

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

/// For each scenario the intensities of its two applications, with one thread each, and the measured GFLOPS of both
/// together.
fn measured() -> Vec<(Vec<f64>, f64)> {
    let text = super::read(&format!("{FOLDER}/measured.csv"));
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let at = |name: &str| header.iter().position(|column| *column == name).expect("a column of bench");
    let [scenario, repetition, status] = ["scenario", "repetition", "status"].map(at);
    let [intensity, gflops] = ["arithmetic_intensity_flop_per_byte", "gflops"].map(at);
    // Scenario and repetition: the intensities and the sum of GFLOPS.
    let mut totals: BTreeMap<(String, String), (Vec<f64>, f64)> = BTreeMap::new();
    for row in lines.filter(|row| row[status] == "ok") {
        let number = |at: usize| row[at].parse::<f64>().expect("a number");
        let total = totals.entry((row[scenario].to_owned(), row[repetition].to_owned())).or_default();
        total.0.push(number(intensity));
        total.1 += number(gflops);
    }
    let mut scenarios: BTreeMap<String, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for ((name, _), (intensities, total)) in totals {
        let scenario = scenarios.entry(name).or_default();
        scenario.0 = intensities;
        scenario.1.push(total);
    }
    scenarios.into_values().map(|(intensities, mut totals)| (intensities, median(&mut totals))).collect()
}

/// Mean and worst absolute error in % when each thread draws at most `gbs`.
fn errors(gbs: f64) -> (f64, f64) {
    let scenarios = measured();
    assert_eq!(scenarios.len(), 15);
    let errors: Vec<f64> = scenarios
        .iter()
        .map(|(intensities, measured)| {
            assert_eq!(intensities.len(), 2);
            let predicted: f64 = intensities.iter().map(|intensity| PEAK.min(gbs * intensity)).sum();
            100.0 * (predicted / measured - 1.0).abs()
        })
        .collect();
    (errors.iter().sum::<f64>() / 15.0, errors.iter().copied().fold(0.0, f64::max))
}

/// "AI 1/8 beside AI 2": 20.44 x 0.125 + 20.44 x 2 = 43.4 GFLOPS, measured 42.4: 2.6 %, the worst.
#[test]
fn equal_parts_are_as_good_as_the_model_on_two_cores() {
    let machine = super::read(&format!("{FOLDER}/machine.toml"));
    for figure in ["bandwidth_gbs = 40.88", "core_bandwidth_gbs = 21.55", "gflops_per_core = 117.6"] {
        assert!(machine.contains(figure), "{figure}");
    }
    let rounded = |(mean, worst): (f64, f64)| (format!("{mean:.1}"), format!("{worst:.1}"));
    assert_eq!(rounded(errors(CONTROLLER / 2.0)), ("1.0".to_owned(), "2.6".to_owned()));
    assert_eq!(rounded(errors(CORE)), ("4.2".to_owned(), "8.1".to_owned()));
    let guide = super::read("docs/guide/compare-fit-validate.md");
    assert!(super::read("docs/guide/how-far-to-trust-it.md").contains("1.0 / 2.6 %"));
    let guide = guide.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(guide.contains("1.0 % in the mean and 2.6 % at worst") && guide.contains("4.2 and 8.1 %"));
}
