//! What to write instead: near names, and a scenario that fits the files.

use numasim_model::Study;

/// The known name that was probably meant.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let distance = |other: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &other.to_lowercase());
    let close = |other: &str| distance(other) <= 1 + name.chars().count() / 3;
    // "even" for "even 2,2,2,2" is far by editing, and yet clear.
    let begins = |other: &str| !name.is_empty() && other.to_lowercase().starts_with(&name.to_lowercase());
    known.iter().copied().filter(|other| close(other) || begins(other)).min_by_key(|other| distance(other))
}

/// The first names of a list that may be long.
pub fn list(names: &[&str]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("'{name}'")).collect();
    let more = names.len().saturating_sub(MOST);
    shown.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

/// A name as a TOML key.
pub fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { format!("{name:?}") }
}

/// A scenario with the same number of threads of each application on every node, as far as the cores reach.
pub fn scenario(study: &Study) -> String {
    let fewest =
        study.machine.nodes().iter().map(|node| node.cores).filter(|&cores| cores > 0).min().unwrap_or(1);
    let cores = usize::try_from(fewest).unwrap_or(usize::MAX);
    let threads = cores / study.apps.len().max(1);
    // More applications than cores: an example with the first one alone.
    let apps = if threads == 0 { &study.apps[..1.min(study.apps.len())] } else { &study.apps[..] };
    let mut groups: Vec<&str> = apps.iter().map(|app| app.group.as_str()).collect();
    groups.dedup();
    let counts: Vec<String> =
        groups.iter().map(|name| format!("{} = {}", key(name), threads.max(1))).collect();
    let mut open: Vec<&str> =
        apps.iter().filter(|app| app.data.is_open()).map(|app| app.group.as_str()).collect();
    open.dedup();
    let homes: Vec<String> = open.iter().map(|name| format!("{} = {{ home = 0 }}", key(name))).collect();
    let data = if homes.is_empty() { String::new() } else { format!("data = {{ {} }}\n", homes.join(", ")) };
    format!("[[scenario]]\nname = \"even\"\nthreads = {{ {} }}\n{data}", counts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_or_shortened_name_is_recognised() {
        let known = ["uneven 1,1,1,5", "even 2,2,2,2", "one app per node"];
        assert_eq!(nearest("one ap per node", &known), Some("one app per node"));
        assert_eq!(nearest("Even", &known), Some("even 2,2,2,2"));
        assert_eq!(nearest("something else", &known), None);
    }

    #[test]
    fn names_that_are_no_bare_keys_are_quoted() {
        assert_eq!((key("mem-1"), key("my app")), ("mem-1".to_owned(), "\"my app\"".to_owned()));
    }
}
