//! Plain English in the documents: counts constructions that make prose read as a translation, and limits them.
//!
//! A match points at a sentence to look at and can be right, so each page may have one in a hundred lines of prose, and at least one.
//! Replacements: the actor first ("`check` lists" for "what is listed"), *if* for conditions, *next to*
//! or *compared with*, *separate*, *the number of*, and the names of threads, applications and users.

use std::path::Path;

use super::{files, none, read, root, short};

/// Lines of prose of a page for which one match is allowed.
const LINES_PER_MATCH: usize = 100;

/// Pages that are not rewritten yet, and their matches today. A number may only fall; a page that needs none leaves the list.
const UNFINISHED: &[(&str, usize)] = &[
    ("ARCHITECTURE.md", 3),
    ("docs/guide/agent.md", 9),
    ("docs/guide/import.md", 8),
    ("docs/guide/tasks.md", 31),
];

/// Words in a row, each one of the alternatives between bars.
type Words = &'static [&'static str];

struct Construction {
    name: &'static str,
    /// Only where a sentence begins and no question follows.
    opens: bool,
    words: &'static [Words],
}

const CONSTRUCTIONS: [Construction; 9] = [
    Construction {
        name: "animate pronoun",
        opens: false,
        words: &[&["nobody|somebody|everybody|anybody|whoever|whom|someone|everyone|anyone"], &["no", "one"]],
    },
    Construction {
        name: "free relative as a subject",
        opens: true,
        words: &[
            &["who|what|whatever|whose"],
            &["of", "a|an|the|all|each|those|these|two|what"],
            &["that", "which"],
            &["those", "that|who"],
        ],
    },
    Construction {
        name: "where for if",
        opens: false,
        words: &[
            &["where", "nothing|nobody|somebody|it|that|this|none|no"],
            &["where", "there", "is|are"],
            &["where", "the", "file|machine"],
            &["where", "a", "file"],
        ],
    },
    Construction {
        name: "in the place of, beside",
        opens: false,
        words: &[
            &["in", "the", "place", "of"],
            &["in", "place", "of", "all"],
            &["beside", "the|a|an|it|that|each|all|every"],
            &["besides", "that"],
        ],
    },
    Construction { name: "of its own", opens: false, words: &[&["of", "its|their|one's|his", "own"]] },
    Construction {
        name: "so many, all of it",
        opens: false,
        words: &[
            &["so", "many|much"],
            &["as", "many", "as", "there"],
            &["all", "of", "it"],
            &["all", "there", "is"],
            &["for", "nothing"],
        ],
    },
    Construction {
        name: "verb of saying or standing",
        opens: false,
        words: &[
            &["is|are|was|were|be", "told"],
            &["is|are", "said"],
            &["said", "once"],
            &["stand|stands", "in|there|beside|at"],
            &["lie|lies", "beside"],
            &["tell|tells", "it|them|how|that|what|whether"],
        ],
    },
    Construction {
        name: "participle before its subject",
        opens: true,
        words: &[&["kept|left|measured|profiled|shown|told|meant|asked|drawn", "is|are|were|was"]],
    },
    Construction {
        name: "goes on with",
        opens: false,
        words: &[
            &["go|goes", "on", "with"],
            &["goes", "on", "behind"],
            &["begins", "again"],
            &["at", "hand"],
            &["is", "worth", "what"],
            &["what", "there", "is"],
        ],
    },
];

/// A word of a line, in lower case.
struct Word {
    text: String,
    /// It begins a sentence, a list item or a cell; not a heading.
    opens: bool,
    /// The sentence that it stands in is a question.
    asks: bool,
    /// `, too` before a full stop, comma or bracket.
    trails: bool,
}

/// The lines of a page that are prose, with their numbers: outside of fences, comments and pictures, and without code.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let start = line.trim_start();
        if start.starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !start.is_empty() && !start.starts_with('<') {
            let parts = line.split('`').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "x" });
            found.push((number, parts.collect()));
        }
    }
    found
}

fn words(line: &str) -> Vec<Word> {
    let is_part = |c: char| c.is_alphanumeric() || c == '\'';
    let mut found: Vec<Word> = Vec::new();
    let mut rest = line;
    let mut opens = !line.starts_with('#');
    while let Some(at) = rest.find(is_part) {
        let (before, tail) = rest.split_at(at);
        opens |= before.contains(['.', ':', ';', '!', '?', '|']) && before.contains(' ');
        // A label in bold ("**What runs.**") is a heading.
        opens &= !before.ends_with("**");
        let (word, after) = tail.split_at(tail.find(|c: char| !is_part(c)).unwrap_or(tail.len()));
        let trails = word == "too" && before == ", " && after.starts_with(['.', ':', ';', ',', ')']);
        let capital = word.starts_with(char::is_uppercase);
        let asks = after.split('.').next().is_some_and(|sentence| sentence.contains('?'));
        found.push(Word { text: word.to_lowercase(), opens: opens && capital, asks, trails });
        (rest, opens) = (after, false);
    }
    found
}

/// The constructions in a line, one name for each match.
fn matches(line: &str) -> Vec<&'static str> {
    let words = words(line);
    let is = |word: &Word, alternatives: &str| alternatives.split('|').any(|one| one == word.text);
    let mut found = Vec::new();
    for at in 0..words.len() {
        if words[at].trails {
            found.push("too at the end");
        }
        for construction in &CONSTRUCTIONS {
            let begins = !construction.opens || words[at].opens && !words[at].asks;
            let hit = construction.words.iter().any(|pattern| {
                words
                    .get(at..at + pattern.len())
                    .is_some_and(|row| row.iter().zip(*pattern).all(|(w, p)| is(w, p)))
            });
            if begins && hit {
                found.push(construction.name);
            }
        }
    }
    found
}

fn documents() -> Vec<std::path::PathBuf> {
    let is_page = |path: &Path| path.extension().is_some_and(|extension| extension == "md");
    let mut found = files(&root().join("docs"));
    found.retain(|path| is_page(path));
    let others = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "configs/README.md",
        "bindings/python/README.md",
    ];
    found.extend(others.map(|path| root().join(path)));
    found
}

#[test]
fn documents_read_as_english() {
    let mut wrong = Vec::new();
    for path in documents() {
        let lines = prose(&read(&path));
        let name = short(&path);
        let found: Vec<String> = lines
            .iter()
            .flat_map(|(number, line)| {
                matches(line).into_iter().map(move |what| format!("    {number}: {what}: {}", line.trim()))
            })
            .collect();
        let listed = UNFINISHED.iter().find(|(page, _)| *page == name).map(|(_, limit)| *limit);
        let limit = listed.unwrap_or_else(|| (lines.len() / LINES_PER_MATCH).max(1));
        if found.len() > limit {
            wrong.push(format!("{name}: {} matches, {limit} allowed\n{}", found.len(), found.join("\n")));
        }
    }
    none(&wrong, "constructions that read as a translation (tests/tidy/prose.rs says what to write instead)");
}

#[test]
fn each_construction_is_found_and_plain_sentences_are_not() {
    for (line, expected) in [
        ("What nobody measured is absent.", &["free relative as a subject", "animate pronoun"][..]),
        ("It prints a table. Who reads it knows.", &["free relative as a subject"]),
        ("- **Note.** Of the two, one is read.", &["free relative as a subject"]),
        ("Which nodes are they? What does it cost?", &[]),
        ("A limit holds where there is none.", &["where for if"]),
        ("A node where threads run.", &[]),
        (
            "The bar beside it is used in the place of text.",
            &["in the place of, beside", "in the place of, beside"],
        ),
        ("A folder of its own has so many files.", &["of its own", "so many, all of it"]),
        ("The reason is told, too.", &["verb of saying or standing", "too at the end"]),
        ("It is too late, too early.", &[]),
        ("Kept are four values.", &["participle before its subject"]),
        ("The worker goes on with the next task.", &["goes on with"]),
        ("The fence `nobody` is code.", &[]),
    ] {
        let code_free = prose(line).into_iter().map(|(_, line)| line).collect::<String>();
        let mut found = matches(&code_free);
        let mut expected = expected.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{line}");
    }
    assert!(prose("```text\nnobody\n```\n<!-- nobody -->").is_empty());
}
