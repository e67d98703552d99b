//! Parsing and formatting of names, and the messages for wrong ones.

use numasim_model::sharing_model::{Model, ModelKind};
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Data, Machine};

use super::*;
use crate::testing::{app, machine, scenario, study, view};

fn refused(text: &str) -> String {
    text.parse::<PolicyName>().expect_err("a wrong name").to_string()
}

#[test]
fn every_name_is_read_and_written_back() {
    let written = [
        ("none", "none"),
        ("script", "script"),
        ("static-even", "static-even"),
        ("static:even 2,2", "static:even 2,2"),
        ("static:a:b", "static:a:b"),
        ("fair-share", "fair-share"),
        ("lead", "lead:2"),
        ("lead:7", "lead:7"),
        ("lend", "lend"),
        ("oversubscribe", "oversubscribe:1"),
        ("oversubscribe:3", "oversubscribe:3"),
        ("marginal", "marginal"),
        ("reexplore", "reexplore"),
        ("replan", "replan"),
    ];
    for (text, back) in written {
        let name: PolicyName = text.parse().expect(text);
        assert_eq!(name.to_string(), back);
        assert_eq!(back.parse(), Ok(name));
    }
}

#[test]
fn the_list_has_every_policy() {
    for about in ABOUT {
        let name = about.usage.split(':').next().expect("a name");
        let text = if name == "static" { "static:s" } else { name };
        assert!(text.parse::<PolicyName>().is_ok(), "{name}");
        assert!(!about.summary.is_empty() && about.summary.len() < 90);
    }
}

#[test]
fn wrong_names_list_the_policies() {
    let said = refused("fairshare");
    assert!(said.starts_with("there is no policy 'fairshare'; there are none, script, "), "{said}");
    assert!(said.ends_with(", reexplore and replan"), "{said}");
    assert!(refused("").starts_with("there is no policy ''"));
    assert!(refused("x\u{1b}[2J").contains('x'), "and nothing that a terminal obeys");
    assert!(!refused("x\u{1b}[2J").contains('\u{1b}'));
}

#[test]
fn wrong_arguments_show_the_right_form() {
    assert_eq!(refused("static"), "policy 'static' needs the name of a scenario: static:SCENARIO");
    assert_eq!(refused("static:"), refused("static"));
    assert_eq!(refused("lend:2"), "policy 'lend' takes no argument: leave out ':2'");
    let said = "policy 'lead' takes a whole number of items, at least 1, not '0': for example lead:2";
    assert_eq!(refused("lead:0"), said);
    for wrong in ["lead:", "lead:-1", "lead:+1", "lead:two", "lead:99999999999999999999"] {
        assert!(refused(wrong).starts_with("policy 'lead' takes a whole number"), "{wrong}");
    }
    assert!(refused("oversubscribe:0.5").ends_with("not '0.5': for example oversubscribe:1"));
}

#[test]
fn all_but_two_decide_and_block_new_arrivals() {
    let mut study = study(machine(&[8]), &[0.5, 10.0]);
    study.scenarios = vec![scenario(&study, "s", &[vec![1], vec![7]])];
    for about in ABOUT {
        let name: PolicyName =
            about.usage.replace("SCENARIO", "s").replace(":K", "").replace(":N", "").parse().expect("a name");
        let decides = !matches!(name, PolicyName::None | PolicyName::Script);
        let policy = name.make(&study).expect("a policy");
        assert_eq!((policy.is_some(), name.holds_arrivals()), (decides, decides), "{name}");
        if let Some(mut policy) = policy {
            let decision = policy.decide(&view(vec![app(0, &[8]), app(1, &[8])])).expect("a decision");
            assert_eq!(decision.threads.iter().flatten().count(), 2, "{name}");
        }
    }
}

fn make_error(name: &str, study: &Study) -> String {
    let name: PolicyName = name.parse().expect("a name");
    let made = name.make(study).map(|_| ()).and_then(|()| name.scenario(study).map(|_| ()));
    made.expect_err("an error").to_string()
}

#[test]
fn unknown_or_oversized_scenarios_are_errors() {
    let mut study = study(machine(&[8, 8]), &[0.5, 10.0]);
    assert_eq!(make_error("static:s", &study), "there is no scenario 's'; the files have none");
    study.scenarios = vec![scenario(&study, "uneven", &[vec![1, 2], vec![7, 6]])];
    assert_eq!(make_error("static:even", &study), "there is no scenario 'even'; there are 'uneven'");
    study.dynamics.courses[1].threads = vec![8, 5];
    let said =
        "scenario 'uneven' gives b 6 threads on node 1, but it has 5: set its key threads, or give it fewer";
    assert_eq!(make_error("static:uneven", &study), said);
    study.dynamics.courses[1].threads = vec![8, 6];
    let name: PolicyName = "static:uneven".parse().expect("a name");
    assert_eq!(name.scenario(&study), Ok(Some(&study.scenarios[0])));
    assert_eq!(PolicyName::Lend.scenario(&study), Ok(None));
}

#[test]
fn computing_policies_need_values() {
    let mut open = study(machine(&[8]), &[0.5]);
    open.dynamics.courses[0].phases[0].data = Data::OpenHome { share: 1.0 };
    let said =
        "policy 'marginal' needs to know where the data of a lies: name the node instead of home = \"any\"";
    assert_eq!(make_error("marginal", &open), said);
    assert!(PolicyName::FairShare.make(&open).is_ok());
    // The machine determines the models that ignore read limits of a node.
    let mut node = *machine(&[8]).node(NodeId(0));
    node.read_bandwidth = Some(GigabytesPerSecond::new(20.0));
    let links = vec![GigabytesPerSecond::new(10.0)];
    let limited = Machine::new("limited", vec![node], links).expect("a machine");
    let limited = limited.with_sharing(Model::from(ModelKind::Proportional));
    let refused = study(limited, &[0.5]);
    assert!(refused.machine.sharing_refusal().is_some());
    for name in ["marginal", "reexplore", "replan"] {
        assert_eq!(make_error(name, &refused), refused.machine.sharing_refusal().expect("one").to_string());
    }
}
