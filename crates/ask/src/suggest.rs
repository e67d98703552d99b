//! Suggestions for corrections: similar names, and a scenario that fits the files.

use numasim_course::Study;
use numasim_model::{OpenData, words};

/// The known name that was probably intended.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    words::nearest(name, known.iter().copied())
}

/// The first names of a list that may be long.
pub fn list(names: &[&str]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("'{name}'")).collect();
    let more = names.len().saturating_sub(MOST);
    shown.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

/// "one of 'a', 'b', or 'c'" of a list that may be long.
pub fn one_of(names: &[&str]) -> String {
    const MOST: usize = 12;
    words::one_of(MOST, names.iter().map(|name| format!("'{name}'")))
}

/// A name as a TOML key.
pub fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { format!("{name:?}") }
}

/// A scenario with the same number of threads of each application on every node, as far as there are enough cores.
pub fn scenario(study: &Study) -> String {
    let fewest =
        study.machine.nodes().iter().map(|node| node.cores).filter(|&cores| cores > 0).min().unwrap_or(1);
    let cores = usize::try_from(fewest).unwrap_or(usize::MAX);
    let threads = cores / study.apps.len().max(1);
    // With more applications than cores: an example with only the first one.
    let apps = if threads == 0 { &study.apps[..1.min(study.apps.len())] } else { &study.apps[..] };
    let mut groups: Vec<&str> = apps.iter().map(|app| app.group.as_str()).collect();
    groups.dedup();
    let counts: Vec<String> =
        groups.iter().map(|name| format!("{} = {}", key(name), threads.max(1))).collect();
    let mut open: Vec<(&str, OpenData)> =
        apps.iter().filter_map(|app| Some((app.group.as_str(), app.data.open()?))).collect();
    open.dedup();
    // The data is not all on one node, whose memory would serve all applications.
    let nodes: Vec<usize> = study.machine.memory_nodes().map(|node| node.0).collect();
    let lies = |(node, (name, open)): (&usize, &(&str, OpenData))| match open {
        OpenData::Home => format!("{} = {{ home = {node} }}", key(name)),
        OpenData::Fractions => format!("{} = \"interleave\"", key(name)),
    };
    let homes: Vec<String> = nodes.iter().cycle().zip(&open).map(lies).collect();
    let data = if homes.is_empty() { String::new() } else { format!("data = {{ {} }}\n", homes.join(", ")) };
    format!("[[scenario]]\nname = \"even\"\nthreads = {{ {} }}\n{data}", counts.join(", "))
}

#[cfg(test)]
mod tests {
    use crate::reading::read_study;
    use numasim_study::SourceFile;

    use super::*;

    #[test]
    fn a_misspelt_or_shortened_name_is_recognised() {
        let known = ["uneven 1,1,1,5", "even 2,2,2,2", "one app per node"];
        assert_eq!(nearest("one ap per node", &known), Some("one app per node"));
        assert_eq!(nearest("Even", &known), Some("even 2,2,2,2"));
        assert_eq!(nearest("something else", &known), None);
    }

    #[test]
    fn open_homes_of_an_example_are_dealt_out_over_the_nodes() {
        let text = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10.0\nbandwidth_gbs = 40.0\nlink_gbs = 5.0\n\
                    [[app]]\nname = \"a\"\narithmetic_intensity = 1\ndata = { home = \"any\" }\n\
                    [[app]]\nname = \"b\"\narithmetic_intensity = 1\n\
                    [[app]]\nname = \"c\"\narithmetic_intensity = 1\ndata = { home = \"any\" }\n\
                    [[app]]\nname = \"d\"\narithmetic_intensity = 1\ndata = { home = \"any\" }\n";
        let files = [SourceFile { name: "a.toml".into(), text: text.into() }];
        let study = read_study(&files).expect("a study").study;
        assert!(
            scenario(&study).ends_with("data = { a = { home = 0 }, c = { home = 1 }, d = { home = 0 } }\n")
        );
    }

    #[test]
    fn names_that_are_no_bare_keys_are_quoted() {
        assert_eq!((key("mem-1"), key("my app")), ("mem-1".to_owned(), "\"my app\"".to_owned()));
    }
}
