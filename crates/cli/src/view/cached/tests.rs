//! The table of a cache that two applications share.

use numasim_evidence::contended::NoCache;

use super::*;

fn app(scenario: &str, app: &str, mib: u64, gbs: f64, of_alone: f64) -> App {
    App {
        scenario: format!("last-level cache, {scenario}"),
        app: app.into(),
        data_bytes: mib << 20,
        data_of_cache: mib as f64 / 32.0,
        gbs,
        gbs_min: gbs - 1.0,
        gbs_max: gbs + 1.0,
        spread: Some(0.012),
        repetitions: 10,
        of_alone: Some(of_alone),
        model_gbs: 20.0,
        no_sharing_gbs: 21.5,
        equal_parts_gbs: 20.0,
    }
}

fn document() -> Document {
    // 36 of 40 is 90 %, 12 of 40 is 30 %.
    Document {
        cache_bytes: Some(32 << 20),
        threads: Some(2),
        apps: vec![
            app("inside: 1 read-1 alone", "read-1", 12, 40.0, 1.0),
            app("inside: 1 read-1 beside 1 read-2", "read-1", 24, 36.0, 0.9),
            app("inside: 1 read-1 beside 1 read-2", "read-2", 24, 38.0, 0.95),
            app("beyond: 1 read-1 alone", "read-1", 24, 40.0, 1.0),
            app("beyond: 1 read-1 beside 1 read-2", "read-1", 48, 12.0, 0.3),
            app("beyond: 1 read-1 beside 1 read-2", "read-2", 48, 14.0, 0.35),
        ],
        ..Document::nothing("baseline-proportional")
    }
}

#[test]
fn what_neighbours_cost_inside_and_beyond_the_cache() {
    insta::assert_snapshot!(table(&document(), &Style::default()));
}

#[test]
fn a_host_that_does_not_allow_it_says_why() {
    let shown = table(&Document::without(NoCache::Unknown, "ecm"), &Style::default());
    assert_eq!(
        shown,
        "The last-level cache was not asked: the system does not tell its size and who shares it.\n"
    );
}

#[test]
fn the_document_reads_what_it_writes_and_nothing_else() {
    let text = serde_json::to_string(&document()).expect("JSON");
    assert_eq!(serde_json::from_str::<Document>(&text).expect("the same"), document());
    assert!(text.contains("\"asked\":\"last-level-cache\""), "{text}");
    assert!(serde_json::from_str::<Document>(&text.replace("model_gbs", "modl_gbs")).is_err());
}
