//! The errors that README and guide show are those of `results/published-data`: each value is computed in one place.

const PAGE: &str = "docs/guide/how-far-to-trust-it.md";

/// The part of a document from a heading to the next one.
fn section(text: &str, heading: &str) -> String {
    let from = text.split_once(heading).unwrap_or_else(|| panic!("{heading}")).1;
    from.split("\n## ").next().unwrap_or_default().to_owned()
}

/// The errors in a text, `mean / worst` with one decimal each.
fn errors(text: &str) -> Vec<String> {
    let is_error = |text: &str| {
        let (whole, decimal) = text.split_once('.').unwrap_or_default();
        !whole.is_empty()
            && decimal.len() == 1
            && (whole.to_owned() + decimal).bytes().all(|b| b.is_ascii_digit())
    };
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches([';', '|'])).collect();
    let pairs = words.windows(3).filter(|row| row[1] == "/" && is_error(row[0]) && is_error(row[2]));
    pairs.map(|row| row.join(" ")).collect()
}

#[test]
fn the_readme_and_the_guide_quote_the_published_errors() {
    let page = super::read(PAGE);
    let published = super::read("results/published-data/README.md");
    let shown = errors(&section(&page, "## Against measurements of other people"));
    assert!(shown.len() > 25, "{shown:?}");
    for error in &shown {
        assert!(published.contains(error), "{PAGE}: {error} is not in results/published-data");
    }
    let readme = errors(&section(&super::read("README.md"), "## How far to trust it"));
    assert_eq!(readme.len(), 6, "two rows of three methods: {readme:?}");
    for error in &readme {
        assert!(shown.contains(error), "README.md: {error} is not in {PAGE}");
    }
}
