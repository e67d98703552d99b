//! Fits with answers that can be calculated by hand, including the paper's own.

use std::fmt::Write as _;

use numasim_model::{AppId, Scenario};
use numasim_study::SourceFile;

use super::*;

const TABLE_III: &str = include_str!("../../../../configs/paper/table-iii.toml");
const NUMA_BAD: &str = include_str!("../../../../configs/paper/table-iii-numa-bad.toml");

fn study(text: &str) -> Study {
    let file = SourceFile { name: "study.toml".into(), text: text.to_owned() };
    numasim_study::read_study(&[file]).expect("a study in order").study
}

fn fitted(study: &Study, observed: &[Observed], free: &[&str]) -> Fit {
    let free: Vec<Parameter> =
        free.iter().map(|key| Parameter::read(&study.machine, key).expect("a key")).collect();
    fit(study, observed, &free, true, &by_solver(study)).expect("a fit")
}

/// Measured totals, scenario by scenario; `None`: not measured.
fn totals(gflops: &[Option<f64>]) -> Vec<Observed> {
    let measured = gflops.iter().enumerate().filter_map(|(scenario, gflops)| Some((scenario, (*gflops)?)));
    measured.map(|(scenario, gflops)| Observed { scenario, app: None, gflops }).collect()
}

fn value(fit: &Fit, key: &str) -> f64 {
    let of = fit.figures.iter().find(|figure| figure.parameter.key() == key).expect("a free figure");
    match of.estimate {
        Estimate::Determined { value, .. } => value,
        ref other => panic!("{key}: {other:?}"),
    }
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-6 * b.abs(), "{a} is not {b}");
}

#[test]
fn the_paper_even_run_gives_its_bandwidth() {
    // 5 of the 20 cores of a node compute: 5 g = 1.45 GFLOPS, with 1.45 GB/s at 1 FLOP/byte. The rest of B
    // goes to 1/32 FLOP/byte: 4 (1.45 + (B - 1.45) / 32) = 18.14, B = 1.45 + 32 (4.535 - 1.45) = 100.17. The
    // paper: 100.
    let study = study(TABLE_III);
    let fit = fitted(&study, &totals(&[None, Some(18.14), None]), &["bandwidth_gbs"]);
    close(value(&fit, "bandwidth_gbs"), 100.17);
    assert!(fit.errors.worst < 1e-9);
    assert_eq!((fit.degrees_of_freedom, fit.scatter, fit.blind_errors), (0, None, None));
    close(fit.machine.nodes()[3].bandwidth.value(), 100.17);
}

#[test]
fn one_total_does_not_separate_peak_and_bandwidth() {
    let study = study(TABLE_III);
    let fit =
        fitted(&study, &totals(&[None, Some(18.14), None]), &["gflops_per_core", "machine.bandwidth_gbs"]);
    assert_eq!(fit.figures[0].estimate, Estimate::Inseparable(vec!["bandwidth_gbs".into()]));
    assert_eq!(fit.figures[1].estimate, Estimate::Inseparable(vec!["gflops_per_core".into()]));
    assert_eq!(fit.inseparable().count(), 2);
}

#[test]
fn all_three_runs_of_table_iii_give_peak_and_bandwidth_as_linear_least_squares() {
    let study = study(TABLE_III);
    let measured = [22.82, 18.14, 15.28];
    let fit = fitted(&study, &totals(&measured.map(Some)), &["gflops_per_core", "bandwidth_gbs"]);
    // In g and B: uneven 80 g; even 4 (5 g + (B - 5 g) / 32) = 19.375 g + B / 8; one per node 20 g + 3 B /
    // 32. Each row is divided by its measured value; the normal equations are solved by Cramer's rule.
    let rows = [(80.0, 0.0), (19.375, 0.125), (20.0, 0.09375)];
    let rows: Vec<(f64, f64)> = rows.iter().zip(measured).map(|(&(g, b), m)| (g / m, b / m)).collect();
    let sum = |term: fn(&(f64, f64)) -> f64| rows.iter().map(term).sum::<f64>();
    let (gg, gb, bb) = (sum(|r| r.0 * r.0), sum(|r| r.0 * r.1), sum(|r| r.1 * r.1));
    let (g1, b1) = (sum(|r| r.0), sum(|r| r.1));
    let determinant = gg * bb - gb * gb;
    close(value(&fit, "gflops_per_core"), (g1 * bb - b1 * gb) / determinant);
    close(value(&fit, "bandwidth_gbs"), (gg * b1 - gb * g1) / determinant);
    assert_eq!(fit.degrees_of_freedom, 1);
    let blind = fit.blind_errors.expect("three scenarios");
    // Without the uneven run: B = 8 (18.14 - 19.375 g), so 20 g - 0.75 x 19.375 g = 15.28 - 0.75 x 18.14, g = 0.3063,
    // and the uneven run would be 24.5 GFLOPS: 7.4 % too much, where the fit to all of them is off by 2 % at most.
    let g = (15.28 - 0.75 * 18.14) / (20.0 - 0.75 * 19.375);
    close(fit.residuals[0].blind_error().expect("a blind prediction"), 80.0 * g / 22.82 - 1.0);
    assert!(blind.count == 3 && blind.worst > 0.07 && fit.errors.worst < 0.02, "{blind:?} {:?}", fit.errors);
}

#[test]
fn the_numa_bad_runs_give_bandwidth_and_link() {
    // On-node: 20 g + 3 B / 32 = 14.52, B = 93.0133 (the bad one requests 92.8 GB/s, so it is not limited).
    // Cross-node: links bring 3 L to the bad one, 3 L / 16; node 0 is left with B - 3 L, an equal share for
    // each of 20 threads: (B - 3 L) (1/4 / 16 + 3/4 / 32); three other nodes have 3 B / 32. Together
    // 0.1328125 B + 0.0703125 L.
    let study = study(NUMA_BAD);
    let fit = fitted(&study, &totals(&[Some(13.25), Some(14.52)]), &["bandwidth_gbs", "link_gbs"]);
    let bandwidth = 32.0 * (14.52 - 5.8) / 3.0;
    close(value(&fit, "bandwidth_gbs"), bandwidth);
    close(value(&fit, "link_gbs"), (13.25 - 0.132_812_5 * bandwidth) / 0.070_312_5);
    // Without the cross-node run the links are unknown; without the other run both values depend on each
    // other.
    let blind: Vec<&Blind> = fit.residuals.iter().filter_map(|one| one.blind.as_ref()).collect();
    assert_eq!(*blind[0], Blind::Undetermined(vec!["link_gbs".into()]));
    assert!(matches!(blind[1], Blind::Undetermined(missing) if missing[0] == "bandwidth_gbs"), "{blind:?}");
    assert_eq!(fit.blind_errors, None);
}

#[test]
fn the_link_compensates_for_a_wrong_bandwidth_and_reveals_it() {
    // B stays 100. Below L = 2.4 an equal share of node 0 is more than the 4.64 GB/s that a thread of the bad
    // one requests: 3 L / 16 + 1.45 + (100 - 3 L - 23.2) / 32 + 3 B / 32 = 13.225 + 3 L / 32. So 13.25 gives
    // L = 0.27.
    let study = study(NUMA_BAD);
    let fit = fitted(&study, &totals(&[Some(13.25), None]), &["link_gbs"]);
    // With so weak an influence the value of the file shifts the result by 1e-6.
    assert!((value(&fit, "link_gbs") - 0.025 * 32.0 / 3.0).abs() < 1e-6);
    // And 13.2 would require a link below 0.
    let fit = fitted(&study, &totals(&[Some(13.2), None]), &["link_gbs"]);
    assert!(matches!(fit.figures[0].estimate, Estimate::AtEnd(link) if link < 0.011), "{:?}", fit.figures);
}

#[test]
fn invented_true_values_are_recovered_from_distant_starts() {
    let text = NUMA_BAD.replace("gflops_per_core = 0.29\n", "gflops_per_core = 0.08\n");
    let text = text.replace("bandwidth_gbs = 100.0", "bandwidth_gbs = 700.0");
    // A link this fast limits no thread at the start of the search.
    let text = text.replace("link_gbs = 10.0", "link_gbs = 60.0");
    let (study, truth) = (study(&text), study(NUMA_BAD));
    let mut observed = Vec::new();
    for (place, scenario) in truth.scenarios.iter().enumerate() {
        let apps = by_solver(&truth)(&truth.machine, scenario).expect("predicted").into_iter().enumerate();
        observed.extend(apps.map(|(app, gflops)| Observed {
            scenario: place,
            app: Some(AppId(app)),
            gflops,
        }));
    }
    let fit = fitted(&study, &observed, &["link_gbs", "gflops_per_core", "bandwidth_gbs"]);
    close(value(&fit, "link_gbs"), 10.0);
    close(value(&fit, "gflops_per_core"), 0.29);
    close(value(&fit, "bandwidth_gbs"), 100.0);
    assert!(fit.errors.worst < 1e-8, "{:?}", fit.errors);
}

#[test]
fn values_without_influence_stay_as_in_the_file() {
    // A thread requests at most 9.28 GB/s: neither a limit of 100 GB/s nor a link has an effect. 18.11875 is
    // the prediction of the model.
    let study = study(TABLE_III);
    let free = ["core_bandwidth_gbs", "link_gbs", "gflops_per_core"];
    let fit = fitted(&study, &totals(&[Some(23.2), Some(18.118_75), None]), &free);
    assert_eq!(fit.figures[0].estimate, Estimate::NoInfluence);
    assert_eq!(fit.figures[0].before, None);
    assert_eq!(fit.figures[1].estimate, Estimate::NoInfluence);
    assert_eq!(fit.machine.nodes()[0].core_bandwidth, None);
    assert_eq!(
        fit.machine.link(numasim_model::NodeId(0), numasim_model::NodeId(1)).expect("a link").value(),
        10.0
    );
}

#[test]
fn values_known_from_one_side_are_bounds() {
    // Uneven: three threads request 9.28, seventeen 0.29: 32.77 GB/s. More has no effect, and 20 is too
    // little.
    let study = study(&TABLE_III.replace("bandwidth_gbs = 100.0", "bandwidth_gbs = 20.0"));
    let fit = fitted(&study, &totals(&[Some(23.2), None, None]), &["bandwidth_gbs"]);
    let Estimate::AtLeast(bound) = fit.figures[0].estimate else { panic!("{:?}", fit.figures) };
    assert!((bound - 32.77).abs() < 1e-3, "{bound}");
    assert!(fit.errors.worst < 1e-5);
}

#[test]
fn intervals_are_those_of_least_squares_and_students_t() {
    // One node, compute-bound: t threads do t g. Errors t g / m - 1 with a = t / m: g = sum a / sum a^2, and the
    // standard error of ln g is s / (g sqrt(sum a^2)) with s^2 = sum of squared errors / 3.
    let mut text = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 8\ngflops_per_core = 3.0\n\
                    bandwidth_gbs = 1000.0\n[[app]]\nname = \"a\"\narithmetic_intensity = 64.0\n"
        .to_owned();
    let measured = [(1.0, 2.1), (2.0, 3.9), (4.0, 8.1), (8.0, 15.8)];
    for (threads, _) in measured {
        let _ = write!(text, "[[scenario]]\nname = \"{threads}\"\nthreads = {{ a = {threads} }}\n");
    }
    let study = study(&text);
    let fit = fitted(&study, &totals(&measured.map(|(_, gflops)| Some(gflops))), &["gflops_per_core"]);
    let a = measured.map(|(threads, gflops)| threads / gflops);
    let (sum, squares) = (a.iter().sum::<f64>(), a.iter().map(|a| a * a).sum::<f64>());
    let g = sum / squares;
    let scatter = (a.iter().map(|a| (a * g - 1.0).powi(2)).sum::<f64>() / 3.0).sqrt();
    let reach = 3.182 * scatter / (g * squares.sqrt());
    let Estimate::Determined { value, interval, left_out } = fit.figures[0].estimate else { panic!() };
    close(value, g);
    let (low, high) = interval.expect("three degrees of freedom");
    close(low, g * (-reach).exp());
    close(high, g * reach.exp());
    assert_eq!((fit.degrees_of_freedom, fit.scatter.map(|s| (s / scatter * 1e6).round())), (3, Some(1e6)));
    // Without the largest a the value is the largest, and vice versa.
    let without = |out: usize| (sum - a[out]) / (squares - a[out] * a[out]);
    let (smallest, largest) = left_out.expect("four scenarios");
    close(smallest, (0..4).map(without).fold(f64::INFINITY, f64::min));
    close(largest, (0..4).map(without).fold(0.0, f64::max));
    // The blind prediction of the first scenario: 1 thread with the value of the others.
    let Some(Blind::Predicted(gflops)) = fit.residuals[0].blind else { panic!() };
    close(gflops, without(0));
}

#[test]
fn nodes_and_links_can_be_free_individually() {
    let study = study(NUMA_BAD);
    let free: Vec<Parameter> =
        ["link_gbs", "node.1.bandwidth_gbs", "bandwidth_matrix_gbs.2.0", "bandwidth_matrix_gbs.3.3"]
            .iter()
            .map(|key| Parameter::read(&study.machine, key).expect("a key"))
            .collect();
    let machine = objective::machine_with(&study.machine, &free, &[5.0, 90.0, 7.0, 80.0]).expect("a machine");
    let link = |from, to| {
        machine.link(numasim_model::NodeId(from), numasim_model::NodeId(to)).expect("a link").value()
    };
    assert_eq!([link(2, 0), link(0, 2), link(1, 0)], [7.0, 5.0, 5.0]);
    let bandwidths: Vec<f64> = machine.nodes().iter().map(|node| node.bandwidth.value()).collect();
    assert_eq!(bandwidths, [100.0, 90.0, 100.0, 80.0]);
    // All other values are unchanged.
    assert_eq!(machine.name(), study.machine.name());
}

#[test]
fn invalid_keys_are_rejected_with_the_correction() {
    let machine = study(NUMA_BAD).machine;
    for (key, hint) in [
        ("bandwith_gbs", "did you mean bandwidth_gbs?"),
        ("node.4.bandwidth_gbs", "nodes are numbered from 0: 0 to 3"),
        ("node.x.bandwidth_gbs", "nodes are numbered"),
        ("app.mem.arithmetic_intensity", "as for sweep --set"),
        ("cores_per_node", "as for sweep --set"),
        ("link_gbs[0][1]", "link_gbs"),
        ("", "as for sweep --set"),
        ("bandwidth_matrix_gbs.0", "as for sweep --set"),
    ] {
        let error = Parameter::read(&machine, key).expect_err(key);
        assert!(error.hint.contains(hint), "{key}: {error:?}");
    }
}

#[test]
fn a_question_without_an_answer_is_an_error() {
    let study = study(TABLE_III);
    let predict = by_solver(&study);
    let key = Parameter::read(&study.machine, "bandwidth_gbs").expect("a key");
    let measured = totals(&[Some(1.0)]);
    let ask = |observed: &[Observed], free: &[Parameter]| {
        fit(&study, observed, free, true, &predict).expect_err("nothing")
    };
    assert_eq!(ask(&[], std::slice::from_ref(&key)), FitError::NothingMeasured);
    assert_eq!(ask(&measured, &[]), FitError::NothingFree);
    assert_eq!(ask(&measured, &[key.clone(), key.clone()]), FitError::Twice("bandwidth_gbs".into()));
    let refuse = |_: &Machine, _: &Scenario| Err("no".to_owned());
    let refused = fit(&study, &measured, &[key], true, &refuse).expect_err("refused");
    assert_eq!(refused, FitError::Prediction("no".into()));
}

#[test]
fn true_values_are_found_from_many_starts() {
    // Start values up to six times too small and too large, in combinations without a common order.
    let truth = study(NUMA_BAD);
    let observed: Vec<Observed> = (0..truth.scenarios.len())
        .flat_map(|scenario| {
            let apps = by_solver(&truth)(&truth.machine, &truth.scenarios[scenario]).expect("predicted");
            let one = move |(app, gflops)| Observed { scenario, app: Some(AppId(app)), gflops };
            apps.into_iter().enumerate().map(one).collect::<Vec<_>>()
        })
        .collect();
    let factors = [6.0, 0.2, 1.0, 3.0, 0.5, 0.17];
    for case in 0..factors.len() {
        let factor = |step: usize| factors[(case * step + step) % factors.len()];
        let text = NUMA_BAD
            .replace("gflops_per_core = 0.29\n", &format!("gflops_per_core = {}\n", 0.29 * factor(1)))
            .replace("bandwidth_gbs = 100.0", &format!("bandwidth_gbs = {:.1}", 100.0 * factor(2)))
            .replace("link_gbs = 10.0", &format!("link_gbs = {:.1}", 10.0 * factor(5)));
        let fit = fitted(&study(&text), &observed, &["gflops_per_core", "bandwidth_gbs", "link_gbs"]);
        assert!(fit.errors.worst < 1e-6, "{case}: {:?} {:?}", fit.errors, fit.figures);
        close(value(&fit, "bandwidth_gbs"), 100.0);
    }
}

#[test]
fn scenarios_of_a_comparison_are_observed_by_application_or_as_a_whole() {
    use crate::compare::{compare, read_measured};
    let study = study(TABLE_III);
    // The first scenario has all applications and a total: the applications are sufficient. The second has
    // one application and a total: both count. The third is 0: it has no relative error.
    let csv = "scenario,app,gflops\n\"uneven 1,1,1,17\",mem-1,1\n\"uneven 1,1,1,17\",mem-2,2\n\"uneven 1,1,1,17\",mem-3,3\n\
               \"uneven 1,1,1,17\",compute,4\n\"uneven 1,1,1,17\",,10\n\"even 5,5,5,5\",compute,5\n\"even 5,5,5,5\",,18\n\
               one app per node,,0\n";
    let measured = read_measured(csv).expect("measurements");
    let asked: Vec<&Scenario> = study.scenarios.iter().collect();
    let comparison = compare(&study, &asked, &measured, |scenario| {
        let placements = vec![numasim_model::Placement::Local; study.apps.len()];
        numasim_model::evaluate(&study.machine, &study.apps, &placements, &scenario.allocation)
    });
    let observed = observations(&study, &comparison.expect("evaluated"));
    let seen: Vec<(usize, Option<usize>, f64)> =
        observed.iter().map(|one| (one.scenario, one.app.map(|app| app.0), one.gflops)).collect();
    let expected = [
        (0, Some(0), 1.0),
        (0, Some(1), 2.0),
        (0, Some(2), 3.0),
        (0, Some(3), 4.0),
        (1, Some(3), 5.0),
        (1, None, 18.0),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn noise_does_not_turn_a_bound_into_an_estimate() {
    // One node, t threads of 4 GB/s each in truth, measured with errors of 2 %: 8 threads request 32, so B is
    // 32 or more. One scenario was measured 3 % low: least squares would prefer B below 32.
    let mut text = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 8\ngflops_per_core = 2.0\n\
                    bandwidth_gbs = 25.0\n[[app]]\nname = \"a\"\narithmetic_intensity = 0.5\n"
        .to_owned();
    let measured = [(1.0, 2.04), (2.0, 3.92), (3.0, 6.12), (4.0, 7.84), (6.0, 12.24), (8.0, 15.52)];
    for (threads, _) in measured {
        let _ = write!(text, "[[scenario]]\nname = \"{threads}\"\nthreads = {{ a = {threads} }}\n");
    }
    let study = study(&text);
    let free = ["gflops_per_core", "bandwidth_gbs"];
    let fit = fitted(&study, &totals(&measured.map(|(_, gflops)| Some(gflops))), &free);
    let Estimate::AtLeast(bound) = fit.figures[1].estimate else { panic!("{:?}", fit.figures) };
    assert!((28.0..31.5).contains(&bound), "{bound}");
    assert!((value(&fit, "gflops_per_core") - 2.0).abs() < 0.03);
}

/// One node whose threads compute `g` GFLOPS each, free; scenario i has one thread and measured `measured(i)` GFLOPS.
fn peaks(scenarios: usize, measured: impl Fn(usize) -> f64) -> Fit {
    let mut text = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 8\ngflops_per_core = 3.0\n\
                    bandwidth_gbs = 1000.0\n[[app]]\nname = \"a\"\narithmetic_intensity = 64.0\n"
        .to_owned();
    for scenario in 0..scenarios {
        let _ = write!(text, "[[scenario]]\nname = \"{scenario}\"\nthreads = {{ a = 1 }}\n");
    }
    let study = study(&text);
    let observed: Vec<Option<f64>> = (0..scenarios).map(|scenario| Some(measured(scenario))).collect();
    let free = Parameter::read(&study.machine, "gflops_per_core").expect("a key");
    // The prediction of the model here, without solving it 100,000 times.
    let predict = |machine: &Machine, _: &Scenario| Ok(vec![machine.nodes()[0].gflops_per_core.value()]);
    fit(&study, &totals(&observed), &[free], true, &predict).expect("a fit")
}

/// The blind prediction of each scenario.
fn blind_gflops(fit: &Fit) -> Vec<f64> {
    let blind = |one: &Residual| match one.blind {
        Some(Blind::Predicted(gflops)) => gflops,
        ref other => panic!("{other:?}"),
    };
    fit.residuals.iter().map(blind).collect()
}

#[test]
fn beyond_500_scenarios_ten_groups_are_predicted_blind() {
    // Scenario i belongs to group i % 10, whose scenarios all measured 2 + (i % 10) / 10. The fit that has
    // not seen a group predicts the same for the whole group, and no other fit predicts the same.
    let measured = |scenario: usize| 2.0 + (scenario % 10) as f64 / 10.0;
    let blind = blind_gflops(&peaks(510, measured));
    for (scenario, gflops) in blind.iter().enumerate() {
        close(*gflops, blind[scenario % 10]);
    }
    let mut groups = blind[..10].to_vec();
    groups.sort_by(f64::total_cmp);
    assert!(groups.windows(2).all(|pair| pair[1] > pair[0] * 1.001), "{groups:?}");
}

#[test]
fn up_to_500_scenarios_a_hundred_groups_are_predicted_blind() {
    // Scenarios 0 and 10 are in different groups of a hundred: the prediction of 0 uses the value that only
    // 10 measured.
    let blind = blind_gflops(&peaks(500, |scenario| if scenario == 10 { 4.0 } else { 2.0 }));
    close(blind[10], 2.0);
    assert!(blind[0] > 2.0 * 1.0005, "{}", blind[0]);
    close(blind[110], 2.0);
}

#[test]
fn beyond_500_scenarios_the_last_step_still_uses_all_of_them() {
    // The search takes i x 501 / 500, rounded down: 0 to 499, and does not see scenario 500, which measured
    // 4. Errors g / m - 1 with a = 1 / m: g = sum a / sum a^2 = (250 + 0.25) / (125 + 0.0625) = 2.001;
    // without the last one 2.
    let fit = peaks(501, |scenario| if scenario == 500 { 4.0 } else { 2.0 });
    let (sum, squares) = (500.0 / 2.0 + 1.0 / 4.0, 500.0 / 4.0 + 1.0 / 16.0);
    close(value(&fit, "gflops_per_core"), sum / squares);
}

#[test]
fn a_prior_fills_gaps_of_the_measurements_and_is_weighed_against_them() {
    let study = study(TABLE_III);
    let free = ["bandwidth_gbs", "link_gbs"].map(|key| Parameter::read(&study.machine, key).expect("a key"));
    let observed = totals(&[None, Some(18.14), None]);
    let fitted = |prior: Prior| {
        lowest_with(&study, &observed, &free, &[prior], &by_solver(&study)).expect("a machine")
    };
    // No thread reads over links: their value is the prior.
    let machine = fitted(Prior { place: 1, value: 7.0, weight: 1e-3 });
    close(free[1].value(&machine).expect("links"), 7.0);
    close(free[0].value(&machine).expect("controllers"), 100.17);
    // The even run alone gives 100.17 (see above). A heavy prior dominates, a light one yields.
    let heavy = fitted(Prior { place: 0, value: 80.0, weight: 1e4 });
    close(free[0].value(&heavy).expect("controllers"), 80.0);
    let light = fitted(Prior { place: 0, value: 80.0, weight: 1e-5 });
    close(free[0].value(&light).expect("controllers"), 100.17);
}
