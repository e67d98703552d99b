//! `--format markdown`: tables of GitHub-flavoured Markdown, for all names.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{ODD_NAMES, STENCIL, config_path, folder, printed, run, table_iii, written};
use crate::common::stderr;

/// Tables of a text, each with the cells of its rows, the titles first.
fn tables(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut inside = false;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::Table(_)) => {
                tables.push(Vec::new());
                inside = true;
            }
            Event::End(TagEnd::Table) => inside = false,
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                tables.last_mut().expect("a table").push(Vec::new());
            }
            Event::Start(Tag::TableCell) => {
                tables.last_mut().and_then(|table| table.last_mut()).expect("a row").push(String::new());
            }
            Event::Text(words) if inside => {
                let row = tables.last_mut().and_then(|table| table.last_mut()).expect("a row");
                row.last_mut().expect("a cell").push_str(&words);
            }
            // The output of commands contains none of these.
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::Code(_)
            | Event::Rule
            | Event::Start(
                Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. },
            ) => panic!("{event:?} in\n{text}"),
            _ => {}
        }
    }
    tables
}

/// The parser fills short rows and cuts long ones, so cells are also counted in the text.
fn columns(line: &str) -> usize {
    let mut bars = 0;
    let mut before = ' ';
    for c in line.chars() {
        bars += usize::from(c == '|' && before != '\\');
        // Two backslashes escape nothing after them.
        before = if c == '\\' && before == '\\' { ' ' } else { c };
    }
    bars - 1
}

/// The text has at least this number of tables, each with rows of one length, and no colours or box lines.
#[track_caller]
fn check(args: &[&str], least: usize) -> String {
    let text = printed(args, "markdown");
    let found = tables(&text);
    assert!(found.len() >= least, "{} tables, not {least}, of {args:?}\n{text}", found.len());
    for table in &found {
        assert!(table.len() > 1, "a table without rows, of {args:?}\n{text}");
        assert!(table[0].iter().any(|title| !title.is_empty()) || table[0].len() == 2, "{args:?}\n{text}");
    }
    for block in text.split("\n\n").filter(|block| block.starts_with('|')) {
        let counts: Vec<usize> = block.lines().map(columns).collect();
        assert!(counts.windows(2).all(|pair| pair[0] == pair[1]), "{counts:?} of {args:?}\n{block}");
    }
    assert!(!text.contains(['\u{1b}', '\u{1e}', '\u{1f}', '╭', '█']), "{args:?}\n{text}");
    text
}

#[test]
fn every_command_with_a_table_writes_tables() {
    let folder = folder();
    let odd = written(folder.path(), "odd.toml", ODD_NAMES);
    let stencil = written(folder.path(), "stencil.toml", STENCIL);
    let plan = folder.path().join("plan").display().to_string();
    let [study, option, measured] = table_iii();
    let measured = [study.as_str(), option.as_str(), measured.as_str()];
    let producer = config_path("dynamic/producer-consumer.toml");
    let machine = config_path("machines/xeon-gold-6140-2s.toml");
    // Two scenarios with map, applications, memories and links, then both side by side.
    check(&["evaluate", &odd], 7);
    check(&["evaluate", &odd, "--explain"], 7);
    check(&["evaluate", &odd, "--model", "all"], 2);
    check(&["explore", &odd], 5);
    check(&["explore", &odd, "--sensitivity"], 6);
    check(&["explore", &odd, "--pareto", "total-gflops,fair"], 2);
    check(&["sweep", &odd, "--set", "machine.link_gbs=1..5:2"], 1);
    check(&["check", &odd], 5);
    check(&[&["compare"], &measured[..]].concat(), 2);
    check(&[&["fit"], &measured[..], &["--free", "bandwidth_gbs"]].concat(), 2);
    check(&["models"], 3);
    check(&["catalog"], 9);
    check(&["models", "max-min"], 3);
    check(&["discriminate", &machine], 2);
    check(&["simulate", &producer], 3);
    check(&["simulate", &producer, "--policy", "static-even", "--policy", "lead:2"], 1);
    check(&["tasks", &stencil], 2);
    check(&["tasks", &stencil, "--scheduler", "fifo,dep"], 2);
    check(&["plan", &stencil, "-o", &plan], 1);
}

#[test]
#[cfg(feature = "hwloc")]
fn commands_of_this_host_write_tables() {
    check(&["detect", "--from-synthetic", "pack:2 node:2 core:2 pu:1"], 1);
    check(&["calibrate", "--dry-run"], 1);
    let (_folder, file) = crate::common::study(STENCIL.split("[graph]").next().expect("a machine"));
    let more = "[[app]]\nname = \"a\"\narithmetic_intensity = 1\n[[scenario]]\nname = \"s\"\nthreads = { a = [1, 0] }\n";
    let text = std::fs::read_to_string(&file).expect("the study") + more;
    std::fs::write(&file, text).expect("the study");
    check(&["bench", "--dry-run", "--fit-host", &file.display().to_string()], 1);
}

#[test]
fn commands_without_a_table_refuse_markdown() {
    let replayed = super::repository("tests/simulate/lead.jsonl").display().to_string();
    for args in [vec!["calibrate"], vec!["simulate", "--replay", &replayed]] {
        let output = run(&[&args[..], &["--format", "markdown"]].concat());
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(
            stderr(&output).contains("there is nothing for --format markdown"),
            "{args:?}: {}",
            stderr(&output)
        );
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn a_file_equals_standard_output() {
    let folder = folder();
    let odd = written(folder.path(), "odd.toml", ODD_NAMES);
    let file = folder.path().join("out.md");
    let name = file.display().to_string();
    assert_eq!(printed(&["evaluate", &odd, "-o", &name], "markdown"), "");
    let text = std::fs::read_to_string(file).expect("written");
    assert_eq!(text, printed(&["evaluate", &odd], "markdown"));
}

#[test]
fn names_are_only_text() {
    let folder = folder();
    let odd = written(folder.path(), "odd.toml", ODD_NAMES);
    let text = check(&["evaluate", &odd], 7);
    assert_eq!(tables(&text)[0][1][0], "A mem*|*<b>\\");
    insta::assert_snapshot!("markdown_evaluate", text);
    let text = check(&["explore", &odd], 5);
    // The time of the search differs each time.
    let timeless = |line: &str| match line.rsplit_once('(').filter(|_| line.ends_with(" s)")) {
        Some((words, _)) => format!("{words}(0.01 s)\n"),
        None => format!("{line}\n"),
    };
    let lines: Vec<String> = text.lines().map(timeless).collect();
    insta::assert_snapshot!("markdown_explore", lines.concat());
}
