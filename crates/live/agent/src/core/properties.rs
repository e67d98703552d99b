//! For any data and times of several connections: the agent does not fail, and does only what it may.

use proptest::prelude::*;

use super::driven::{LINES, drive};

/// A step, as bytes: mostly lines of the protocol, which get far; sometimes nonsense.
fn step() -> impl Strategy<Value = Vec<u8>> {
    let place = || (0..4_u8).prop_map(|place| place << 3);
    let line = || 0..u8::try_from(LINES.len()).expect("few lines");
    prop_oneof![
        2 => place().prop_map(|place| vec![place]),
        1 => place().prop_map(|place| vec![place | 1]),
        3 => (0..30_u8).prop_map(|time| vec![2, time]),
        1 => any::<u8>().prop_map(|time| vec![2, time]),
        1 => (place(), prop::collection::vec(any::<u8>(), 0..20)).prop_map(|(place, raw)| {
            let many = u8::try_from(raw.len()).expect("few bytes");
            [vec![place | 3, many], raw].concat()
        }),
        10 => (place(), line()).prop_map(|(place, line)| vec![place | 4, line]),
        2 => (place(), line(), any::<[u8; 2]>())
            .prop_map(|(place, line, [at, byte])| vec![place | 5, line, at, byte]),
        3 => Just(vec![6]),
        2 => any::<u8>().prop_map(|byte| vec![7, byte]),
        // The normal course of an application: it connects, sends hello and statuses.
        4 => (place(), 0..6_u8, 8..15_u8)
            .prop_map(|(place, hello, status)| vec![place, place | 4, hello, place | 4, status]),
    ]
}

proptest! {
    #![proptest_config(crate::random::questions(60))]

    #[test]
    fn whatever_connections_send_the_agent_does_only_what_it_may(
        first in any::<u8>(), steps in prop::collection::vec(step(), 0..120),
    ) {
        let bytes = [vec![first], steps.concat()].concat();
        // The same events have the same effects.
        prop_assert_eq!(drive(&bytes), drive(&bytes));
    }

    #[test]
    fn any_bytes_at_all_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        drive(&bytes);
    }
}

/// The steps above reach every kind of effect, so that the assertions about them are tested.
#[test]
fn applications_that_behave_are_driven_to_every_kind_of_effect() {
    // fair-share with a period of 80 ms: `a` and `b` come, get orders, `b` acknowledges, queries come, `x` is adopted, time passes until
    // a connection is too late, the stop comes.
    let connect = |place: u8| vec![place << 3];
    let say = |place: u8, line: u8| vec![place << 3 | 4, line];
    let hello = |place: u8, line: u8| [connect(place), say(place, line), say(place, 8)].concat();
    let steps = [
        vec![0b1001],
        hello(0, 0),
        hello(1, 1),
        vec![2, 8],
        say(1, 15),
        vec![7, 4],
        vec![2, 8],
        connect(2),
        say(2, 20),
        connect(3),
        vec![2, 255],
        say(0, 19),
        connect(3),
        say(3, 21),
    ];
    let done = drive(&steps.concat()).join("\n");
    for kind in
        ["Send", "welcome", "\\\"set\\\"", "Close", "Report", "Ask", "Decided", "Bind", "End", "agent status"]
    {
        assert!(done.contains(kind), "no {kind} in\n{done}");
    }
}
