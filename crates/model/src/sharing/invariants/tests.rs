//! Each property with sharings written by hand: some that keep it, and some that violate it.

use super::*;

/// Two nodes of 8 cores with 60 GB/s, links of 10 GB/s. Application 1 on node 1 reads memory 0: 2 x 5 GB/s
/// fill the link (baseline 10 / 8 = 1.25 GB/s). Application 0 on node 0 splits the rest: R = 60 - 10 = 50,
/// baseline 50 / 8 = 6.25 GB/s for each thread.
fn sound() -> Grants {
    let node = MemoryNode { capacity_gbs: 60.0, cores: 8, read_gbs: None };
    Grants {
        nodes: vec![node, node],
        link_capacity_gbs: vec![vec![None, Some(10.0)], vec![Some(10.0), None]],
        shared: Vec::new(),
        domains: Vec::new(),
        rows_per_app: 1,
        groups: vec![group(0, 0, 8, 20.0, 6.25), group(1, 1, 2, 10.0, 5.0)],
    }
}

/// Threads of `app` on `from` that read memory 0.
fn group(app: usize, from: usize, threads: u32, demand_gbs: f64, granted_gbs: f64) -> Group {
    Group { app: AppId(app), from: NodeId(from), memory: NodeId(0), threads, demand_gbs, granted_gbs }
}

fn with_groups(groups: Vec<Group>) -> Grants {
    Grants { groups, ..sound() }
}

#[test]
fn a_sound_sharing_has_every_property() {
    assert_eq!(nobody_above_demand(&sound()), Ok(()));
    assert_eq!(controllers_within_capacity(&sound()), Ok(()));
    assert_eq!(links_within_capacity(&sound()), Ok(()));
    assert_eq!(at_least_baseline(&sound()), Ok(()));
    assert_eq!(work_conserving(&sound()), Ok(()));
    assert_eq!(of_remote_first(&sound()), Ok(()));
    assert_eq!(of_default(&sound()), Ok(()));
}

#[test]
fn a_grant_above_the_demand_is_a_violation() {
    let greedy = group(0, 0, 1, 1.0, 1.1);
    assert_eq!(nobody_above_demand(&with_groups(vec![greedy])), Err(Violation::AboveDemand(greedy)));
}

#[test]
fn a_negative_or_undefined_grant_is_a_violation() {
    let negative = group(0, 0, 1, 1.0, -0.1);
    assert_eq!(nobody_above_demand(&with_groups(vec![negative])), Err(Violation::NotAnAmount(negative)));
    let undefined = group(0, 0, 1, 1.0, f64::NAN);
    assert!(matches!(nobody_above_demand(&with_groups(vec![undefined])), Err(Violation::NotAnAmount(_))));
}

#[test]
fn rounding_errors_are_allowed_and_a_millionth_is_a_violation() {
    assert_eq!(nobody_above_demand(&with_groups(vec![group(0, 0, 1, 1.0, 1.0 + 1e-12)])), Ok(()));
    assert!(nobody_above_demand(&with_groups(vec![group(0, 0, 1, 1.0, 1.0 + 1e-6)])).is_err());
}

#[test]
fn local_and_remote_grants_together_overrun_a_controller() {
    // 8 x 6.5 + 2 x 5 = 62 GB/s from 60 GB/s
    let mut grants = sound();
    grants.groups[0].granted_gbs = 6.5;
    assert_eq!(
        controllers_within_capacity(&grants),
        Err(Violation::ControllerOverrun { memory: NodeId(0), granted_gbs: 62.0, capacity_gbs: 60.0 })
    );
}

#[test]
fn two_threads_overrun_a_link() {
    // 2 x 5.5 = 11 GB/s over 10 GB/s; the controller of node 0 would have enough.
    let grants = with_groups(vec![group(1, 1, 2, 10.0, 5.5)]);
    assert_eq!(controllers_within_capacity(&grants), Ok(()));
    assert_eq!(
        links_within_capacity(&grants),
        Err(Violation::LinkOverrun {
            from: NodeId(1),
            memory: NodeId(0),
            granted_gbs: 11.0,
            capacity_gbs: 10.0
        })
    );
}

#[test]
fn an_uneven_split_leaves_a_local_thread_below_its_baseline() {
    // 4 x 5.25 + 4 x 7.25 = 50 = R, but the baseline of each thread is 50 / 8 = 6.25 GB/s.
    let robbed = group(0, 0, 4, 20.0, 5.25);
    let grants = with_groups(vec![robbed, group(2, 0, 4, 20.0, 7.25), group(1, 1, 2, 10.0, 5.0)]);
    assert_eq!(
        at_least_baseline(&grants),
        Err(Violation::BelowBaseline { group: robbed, baseline_gbs: 6.25 })
    );
}

#[test]
fn an_uneven_split_leaves_a_thread_on_a_link_below_its_baseline() {
    // 1 + 9 = 10 GB/s on the link, but the baseline of each thread is 10 / 8 = 1.25 GB/s.
    let robbed = group(1, 1, 1, 10.0, 1.0);
    let grants = with_groups(vec![robbed, group(2, 1, 1, 10.0, 9.0)]);
    assert_eq!(
        at_least_baseline(&grants),
        Err(Violation::BelowBaseline { group: robbed, baseline_gbs: 1.25 })
    );
}

#[test]
fn a_thread_below_the_baseline_is_entitled_only_to_its_demand() {
    let grants = with_groups(vec![group(0, 0, 1, 1.0, 1.0)]);
    assert_eq!(at_least_baseline(&grants), Ok(()));
}

#[test]
fn local_threads_have_no_baseline_if_remote_readers_take_everything() {
    // A controller of 8 GB/s behind a link of 10 GB/s: 2 x 4 GB/s over the link, R = 0.
    let mut grants = with_groups(vec![group(0, 0, 8, 20.0, 0.0), group(1, 1, 2, 10.0, 4.0)]);
    grants.nodes[0].capacity_gbs = 8.0;
    assert_eq!(of_remote_first(&grants), Ok(()));
}

#[test]
fn a_hungry_local_thread_with_idle_bandwidth_is_a_violation() {
    // 8 x 6 + 2 x 5 = 58 of 60 GB/s
    let mut grants = sound();
    grants.groups[0].granted_gbs = 6.0;
    assert_eq!(
        work_conserving(&grants),
        Err(Violation::IdleCapacity {
            group: grants.groups[0],
            controller_left_gbs: 2.0,
            link_left_gbs: None
        })
    );
}

#[test]
fn a_hungry_thread_on_a_link_requires_a_full_link_or_controller() {
    // The link is full, the controller is not: 10 of 10 and 10 of 60 GB/s.
    assert_eq!(work_conserving(&with_groups(vec![group(1, 1, 2, 10.0, 5.0)])), Ok(()));
    // The controller is full, the link is not: 8 of 8 and 8 of 10 GB/s.
    let mut full = with_groups(vec![group(1, 1, 2, 10.0, 4.0)]);
    full.nodes[0].capacity_gbs = 8.0;
    assert_eq!(work_conserving(&full), Ok(()));
    // Neither: 8 of 10 and 8 of 60 GB/s.
    let hungry = group(1, 1, 2, 10.0, 4.0);
    assert_eq!(
        work_conserving(&with_groups(vec![hungry])),
        Err(Violation::IdleCapacity { group: hungry, controller_left_gbs: 52.0, link_left_gbs: Some(2.0) })
    );
}

#[test]
fn a_group_without_threads_is_never_hungry() {
    let idle = with_groups(vec![group(0, 0, 0, 20.0, 0.0)]);
    assert_eq!(of_remote_first(&idle), Ok(()));
    assert_eq!(of_default(&idle), Ok(()));
}

#[test]
fn threads_without_cores_or_outside_the_machine_have_no_path() {
    let mut no_cores = sound();
    no_cores.nodes[1].cores = 0;
    let violation = Err(Violation::NoPath { from: NodeId(1), memory: NodeId(0) });
    assert_eq!(controllers_within_capacity(&no_cores), violation);
    assert_eq!(at_least_baseline(&no_cores), violation);
    let beyond = with_groups(vec![group(0, 2, 1, 1.0, 1.0)]);
    assert_eq!(links_within_capacity(&beyond), Err(Violation::NoPath { from: NodeId(2), memory: NodeId(0) }));
}

#[test]
fn the_message_of_a_violation_names_the_group_and_the_amounts() {
    let violation = Violation::AboveDemand(group(3, 1, 1, 1.0, 1.5));
    assert_eq!(
        violation.to_string(),
        "a thread of application 3 on node 1 that reads the memory of node 0 is granted 1.5 GB/s but wants 1 GB/s"
    );
    let idle = Violation::IdleCapacity {
        group: group(0, 1, 1, 10.0, 4.0),
        controller_left_gbs: 52.0,
        link_left_gbs: Some(2.0),
    };
    assert_eq!(
        idle.to_string(),
        "a thread of application 0 on node 1 that reads the memory of node 0 is granted 4 of the 10 GB/s it \
         wants, but the controller has 52 GB/s left and the link 2 GB/s"
    );
}

/// Groups 0 -> 2 and 1 -> 3 share a link of 8 GB/s; node 0 can read 9 GB/s in total. Four nodes of 2 cores,
/// 60 GB/s, links of 10.
fn limited(first: f64, second: f64) -> Grants {
    let node = MemoryNode { capacity_gbs: 60.0, cores: 2, read_gbs: None };
    let reader = |from: usize, granted_gbs: f64| Group {
        app: AppId(from),
        from: NodeId(from),
        memory: NodeId(from + 2),
        threads: 1,
        demand_gbs: 20.0,
        granted_gbs,
    };
    let link = |from: usize, to: usize| (from != to).then_some(10.0);
    Grants {
        nodes: vec![MemoryNode { read_gbs: Some(9.0), ..node }, node, node, node],
        link_capacity_gbs: (0..4).map(|from| (0..4).map(|to| link(from, to)).collect()).collect(),
        shared: vec![SharedCapacity {
            capacity_gbs: 8.0,
            from: vec![NodeId(0), NodeId(1)],
            to: vec![NodeId(2), NodeId(3)],
        }],
        domains: Vec::new(),
        rows_per_app: 1,
        groups: vec![reader(0, first), reader(1, second)],
    }
}

#[test]
fn a_shared_link_limits_all_its_users() {
    assert_eq!(of_default(&limited(4.0, 4.0)), Ok(()));
    // 7 of 8 GB/s: both could have more
    assert!(matches!(nobody_hungry_with_room(&limited(4.0, 3.0)), Err(Violation::HungryWithRoom(_))));
    assert_eq!(
        common_limits_kept(&limited(4.0, 5.0)),
        Err(Violation::SharedLinkOverrun { direction: 0, granted_gbs: 9.0, capacity_gbs: 8.0 })
    );
}

#[test]
fn a_read_limit_of_a_node_limits_only_its_threads() {
    let wide = |first, second| {
        let mut grants = limited(first, second);
        grants.shared.clear();
        grants
    };
    // node 0 is at its 9 GB/s, node 1 at its link
    assert_eq!(of_default(&wide(9.0, 10.0)), Ok(()));
    assert!(matches!(nobody_hungry_with_room(&wide(9.0, 9.0)), Err(Violation::HungryWithRoom(_))));
    assert_eq!(
        common_limits_kept(&wide(9.5, 10.0)),
        Err(Violation::ReadOverrun { node: NodeId(0), granted_gbs: 9.5, capacity_gbs: 9.0 })
    );
}

#[test]
fn own_threads_below_their_equal_share_are_found() {
    // One node reads node 0 from outside. The 8 threads of node 0, with a demand of 160, keep 30 of 60 GB/s.
    let wide = |own: f64, link: f64| {
        let mut grants = with_groups(vec![group(0, 0, 8, 20.0, own), group(1, 1, 2, 50.0, link)]);
        grants.link_capacity_gbs = vec![vec![None, Some(100.0)], vec![Some(100.0), None]];
        grants
    };
    assert_eq!(of_default(&wide(3.75, 15.0)), Ok(()));
    assert_eq!(
        own_port_keeps_its_part(&wide(2.5, 20.0)),
        Err(Violation::BelowEqualPart { node: NodeId(0), granted_gbs: 20.0, due_gbs: 30.0 })
    );
}
