//! Guarantees for every message and every stream.

use proptest::prelude::*;

use crate::{
    AppStatus, Control, FromAgent, FromApp, Hello, LARGEST, LONGEST_LINE, Lines, MOST_THREADS, Order,
    Version, Waiting, Welcome,
};

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..10_u64, 0..=LARGEST]
}

fn per_node() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0..=MOST_THREADS, 1..6)
}

fn any_hello() -> impl Strategy<Value = Hello> {
    let name = "[^\\x00-\\x1f\\x7f-\\u{9f}]{1,128}";
    (name, prop::sample::select(&Control::ALL[..]), per_node(), 0..6_usize).prop_map(
        |(name, control, mut threads, node)| {
            let node = node % threads.len();
            threads[node] = threads[node].max(1);
            Hello::new(name, control, threads)
        },
    )
}

fn any_status() -> impl Strategy<Value = AppStatus> {
    let told = || prop::option::of(number());
    let waiting = prop::sample::select(&Waiting::ALL[..]);
    (per_node(), per_node(), number(), waiting, told(), number(), told()).prop_map(
        |(running, blocked, progress, waiting, queued, phase, tasks)| AppStatus {
            running,
            blocked,
            progress,
            waiting,
            queued,
            phase,
            tasks,
        },
    )
}

fn from_app() -> impl Strategy<Value = FromApp> {
    prop_oneof![
        any_hello().prop_map(FromApp::Hello),
        any_status().prop_map(FromApp::Status),
        number().prop_map(|seq| FromApp::Ack { seq }),
        (number(), ".{0,80}").prop_map(|(seq, text)| FromApp::Refused { seq, text }),
        prop::sample::select(vec![FromApp::Bye, FromApp::Query, FromApp::Stop]),
    ]
}

fn any_order() -> impl Strategy<Value = Order> {
    prop_oneof![
        per_node().prop_map(Order::PerNode),
        any::<u32>().prop_map(Order::Total),
        prop::collection::btree_set(any::<u32>(), 0..9)
            .prop_map(|cores| Order::Cores(cores.into_iter().collect())),
    ]
}

fn from_agent() -> impl Strategy<Value = FromAgent> {
    let welcome = (number(), per_node(), any::<bool>(), 0.0..60_000.0, 20.0..1000.0).prop_map(
        |(pid, cores, hold, period_ms, status_ms)| {
            FromAgent::Welcome(Welcome { version: Version, pid, cores, hold, period_ms, status_ms })
        },
    );
    prop_oneof![
        welcome,
        (number(), any_order()).prop_map(|(seq, order)| FromAgent::Set { seq, order }),
        Just(FromAgent::Ping),
        ".{0,80}".prop_map(|text| FromAgent::Error { text }),
        ".{0,80}".prop_map(|text| FromAgent::Refused { text }),
    ]
}

proptest! {
    #![proptest_config(crate::random::questions(400))]

    #[test]
    fn what_an_application_says_is_heard_as_it_was_said(message in from_app()) {
        let line = message.line();
        prop_assert_eq!(line.matches('\n').count(), 1, "one line: {}", line);
        prop_assert_eq!(FromApp::parse(line.trim_end_matches('\n').as_bytes()), Ok(message));
    }

    #[test]
    fn what_the_agent_says_is_heard_as_it_was_said(message in from_agent()) {
        let line = message.line();
        prop_assert_eq!(line.matches('\n').count(), 1, "one line: {}", line);
        prop_assert_eq!(FromAgent::parse(line.trim_end_matches('\n').as_bytes()), Ok(message));
    }

    #[test]
    fn no_bytes_are_too_strange_to_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = FromApp::parse(&bytes).map_err(|error| error.to_string());
        let _ = FromAgent::parse(&bytes).map_err(|error| error.to_string());
    }

    #[test]
    fn a_message_that_lost_a_byte_or_has_another_is_answered(
        message in from_app(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let mut line = message.line().into_bytes();
        let at = at.index(line.len());
        line[at] = byte;
        let _ = FromApp::parse(&line).map_err(|error| error.to_string());
        line.truncate(at);
        let _ = FromApp::parse(&line).map_err(|error| error.to_string());
    }

    /// Lines are those of the whole text, regardless of the pieces of the stream.
    #[test]
    fn pieces_do_not_matter(
        texts in prop::collection::vec("[a-c]{0,9}", 0..9),
        pieces in prop::collection::vec(1..7_usize, 1..60),
    ) {
        let text = texts.iter().fold(String::new(), |all, text| all + text + "\n");
        let mut lines = Lines::new();
        let (mut rest, mut found) = (text.as_bytes(), Vec::new());
        for piece in pieces.iter().cycle() {
            let (now, later) = rest.split_at((*piece).min(rest.len()));
            lines.push(now);
            while let Some(line) = lines.next_line().expect("short lines") {
                found.push(String::from_utf8(line.to_vec()).expect("text"));
            }
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(found, texts);
    }

    #[test]
    fn the_limit_is_a_line_with_its_end(length in LONGEST_LINE - 3..LONGEST_LINE + 3, piece in 1..70_000_usize) {
        let mut lines = Lines::new();
        let mut fits = true;
        let mut text = vec![b'x'; length - 1];
        text.push(b'\n');
        let mut found = false;
        for piece in text.chunks(piece) {
            lines.push(piece);
            match lines.next_line() {
                Ok(line) => found |= line.is_some(),
                Err(_) => fits = false,
            }
        }
        prop_assert_eq!(fits, length <= LONGEST_LINE);
        prop_assert_eq!(found, fits);
    }
}
