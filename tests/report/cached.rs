//! The last-level cache on the page: the result of `validate`, separate from the verdict.

use super::{MEASURED, STUDY, check_figures, folder, numasim, path, plain, stderr, stdout};

const CACHE: &str = r#"{"schema": 1, "command": "validate", "asked": "last-level-cache", "not_measured": null,
    "cache_bytes": 33554432, "threads": 2, "model": "baseline-proportional", "apps": [
    {"scenario": "last-level cache, beyond: 1 read-1 alone", "app": "read-1", "data_bytes": 25165824, "data_of_cache": 0.75,
     "gbs": 40.0, "gbs_min": 39.0, "gbs_max": 41.0, "spread": 0.012, "repetitions": 10, "of_alone": 1.0,
     "model_gbs": 20.0, "no_sharing_gbs": 20.0, "equal_parts_gbs": 20.0},
    {"scenario": "last-level cache, beyond: 1 read-1 beside 1 read-2", "app": "read-1", "data_bytes": 50331648,
     "data_of_cache": 1.5, "gbs": 12.0, "gbs_min": 11.0, "gbs_max": 13.0, "spread": null, "repetitions": 1, "of_alone": 0.3,
     "model_gbs": 15.0, "no_sharing_gbs": 20.0, "equal_parts_gbs": 15.0},
    {"scenario": "last-level cache, beyond: 1 read-1 beside 1 read-2", "app": "read-2", "data_bytes": 50331648,
     "data_of_cache": 1.5, "gbs": 14.0, "gbs_min": 11.0, "gbs_max": 15.0, "spread": null, "repetitions": 1, "of_alone": 0.35,
     "model_gbs": 15.0, "no_sharing_gbs": 20.0, "equal_parts_gbs": 15.0}]}"#;

fn with(cache: &str) -> tempfile::TempDir {
    folder(&[("measured.csv", MEASURED), ("measured.study.toml", STUDY), ("cache.json", cache)])
}

#[test]
fn the_last_level_cache_has_a_section_and_no_part_in_the_verdict() {
    let folder = with(CACHE);
    let page = stdout(&numasim(&["report", path(&folder)]));
    let text = plain(&page);
    for words in [
        "Last-level cache Where only the data of one do, an application gets 30.0 % to 35.0 % of what it gets alone.",
        "They make no claim here, and this result is not part of the verdict on sharing.",
        "beyond: 1 read-1 beside 1 read-2 read-1 1.50 x 12",
    ] {
        assert!(text.contains(words), "the page does not say {words}: {text}");
    }
    // GB/s of three models and the share of alone, in addition to those of the rest of the page.
    let without = self::folder(&[("measured.csv", MEASURED), ("measured.study.toml", STUDY)]);
    let other = stdout(&numasim(&["report", path(&without)]));
    assert_eq!(check_figures(&page), check_figures(&other) + 3 * 5);
    assert!(!plain(&other).contains("Last-level cache"));
}

#[test]
fn a_host_that_does_not_allow_it_says_why() {
    let nothing = r#"{"schema": 1, "command": "validate", "asked": "last-level-cache",
        "not_measured": "the system does not tell its size and who shares it", "cache_bytes": null, "threads": null,
        "model": "ecm", "apps": []}"#;
    let folder = with(nothing);
    let text = plain(&stdout(&numasim(&["report", path(&folder)])));
    assert!(text.contains("The last-level cache was not asked: the system does not tell its size"), "{text}");
}

#[test]
fn another_file_of_that_name_is_refused_and_not_ignored() {
    let folder = with("{}");
    let output = numasim(&["report", path(&folder)]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(
        said.contains("cache.json cannot be read") && said.contains("give this file another name"),
        "{said}"
    );
}
