//! The page of results quotes the values of the files next to it.

use std::fs;

use super::repository;

/// The lines of the page that quote values: the beginning of a line, and the set, kernel, model and variant of its values in
/// turn.
const QUOTED: [(&str, &[[&str; 4]]); 6] = [
    (
        "| that test: all kernels",
        &[
            ["curves that test", "all kernels", "baseline-proportional", "hard corner"],
            ["curves that test", "all kernels", "baseline-proportional", "saturation_knee"],
            ["curves that test", "all kernels", "ecm", "ecm_penalty"],
        ],
    ),
    (
        "| that test: `load`",
        &[
            ["curves that test", "load", "baseline-proportional", "hard corner"],
            ["curves that test", "load", "baseline-proportional", "saturation_knee"],
            ["curves that test", "load", "ecm", "ecm_penalty"],
        ],
    ),
    (
        "| 8CCL type2",
        &[
            ["kp920.2P.8CCL.type2, node 0 reads another node", "STREAM, 4 kernels", "no-sharing", "no fit"],
            ["kp920.2P.8CCL.type2, node 0 reads another node", "STREAM, 4 kernels", "equal-parts", "no fit"],
            ["kp920.2P.8CCL.type2, node 0 reads another node", "STREAM, 4 kernels", "max-min", "no fit"],
            ["kp920.2P.8CCL.type2, node 0 reads another node", "STREAM, 4 kernels", "ecm", "as advised"],
        ],
    ),
    (
        "| 2 nodes, one of them its own",
        &[
            [
                "4-socket Opteron, 2 nodes read the memory of one of them",
                "STREAM Triad",
                "no-sharing",
                "no fit",
            ],
            [
                "4-socket Opteron, 2 nodes read the memory of one of them",
                "STREAM Triad",
                "equal-parts",
                "no fit",
            ],
        ],
    ),
    (
        "| 4 nodes, 560 runs",
        &[["4-socket Opteron, 4 nodes read one memory", "STREAM Triad", "no-sharing", "no fit"]],
    ),
    (
        "| 3 totals",
        &[["2 x Xeon Max 9462, local and remote readers of HBM", "reads", "no-sharing", "no fit"]],
    ),
];

#[test]
fn the_page_quotes_the_values_of_the_summary() {
    let page = fs::read_to_string(repository("results/published-data/README.md")).expect("the page");
    let mut summary =
        csv::Reader::from_path(repository("results/published-data/summary.csv")).expect("the summary");
    let rows: Vec<csv::StringRecord> = summary.records().map(|row| row.expect("a row")).collect();
    for (line, sets) in QUOTED {
        let found = page.lines().find(|one| one.starts_with(line)).expect(line);
        let mut cells = found.split(" | ").skip(1);
        for [set, kernel, model, variant] in sets {
            let row = rows.iter().find(|row| {
                [(1, set), (2, kernel), (4, model), (5, variant)].iter().all(|(at, text)| &row[*at] == **text)
            });
            let row =
                row.unwrap_or_else(|| panic!("{set}, {kernel}, {model}, {variant} is not in the summary"));
            let percent = |at: usize| 100.0 * row[at].parse::<f64>().expect("a number");
            let figures = format!("{:.1} / {:.1}", percent(7), percent(10));
            let cell = cells.next().unwrap_or_default();
            assert!(cell.starts_with(&figures), "{line}: the page has {cell}, the summary {figures}");
        }
    }
}

/// Mean and worst of all curves of a summary with a kernel and a role, by one method.
fn pooled(
    rows: &[csv::StringRecord],
    columns: [usize; 3],
    holds: &dyn Fn(&csv::StringRecord) -> bool,
) -> String {
    let number = |row: &csv::StringRecord, at: usize| row[at].parse::<f64>().expect("a number");
    let [points, mean, worst] = columns;
    let own: Vec<&csv::StringRecord> = rows.iter().filter(|row| holds(row)).collect();
    let count: f64 = own.iter().map(|row| number(row, points)).sum();
    let sum: f64 = own.iter().map(|row| number(row, points) * number(row, mean)).sum();
    let most = own.iter().map(|row| number(row, worst)).fold(0.0, f64::max);
    format!("{:.1} / {:.1}", 100.0 * sum / count, 100.0 * most)
}

/// Whether a row is one curve, not a sum of several.
fn is_curve(row: &csv::StringRecord) -> bool {
    !row[1].starts_with("curves that") && !row[1].starts_with("all curves")
}

#[test]
fn the_page_shows_the_values_before_and_after() {
    let folder = repository("results/published-data");
    let page = fs::read_to_string(folder.join("README.md")).expect("the page");
    let read = |name: &str| -> (csv::StringRecord, Vec<csv::StringRecord>) {
        let mut file = csv::Reader::from_path(folder.join(name)).expect("a summary");
        let header = file.headers().expect("a header").clone();
        (header, file.records().map(|row| row.expect("a row")).collect())
    };
    let after = read("summary.csv");
    // Only the newer file contains the half of each machine.
    let role = after.0.iter().position(|one| one == "role").expect("a column");
    let chose: Vec<String> = after
        .1
        .iter()
        .filter(|row| &row[0] == "scaling" && &row[role] == "chose")
        .map(|row| row[1].to_owned())
        .collect();
    let counts = [read("summary-before.csv"), after.clone()].map(|(header, rows)| {
        let column = |name: &str| header.iter().position(|one| one == name).expect("a column");
        let (variant, points) = (column("variant"), column("points"));
        [true, false].map(|is_chosen| {
            let of_half = rows.iter().filter(|row| {
                &row[0] == "scaling"
                    && &row[variant] == "ecm_penalty"
                    && is_curve(row)
                    && chose.iter().any(|set| *set == row[1]) == is_chosen
            });
            of_half.map(|row| row[points].parse::<u32>().expect("a number")).sum::<u32>()
        })
    });
    let [[a, b], [c, d]] = counts;
    let line = format!("before {a} and {b} points, after {c} and {d}.");
    assert!(page.contains(&line), "the page lacks: {line}");
    for (half, is_chosen) in [("that chose", true), ("that test", false)] {
        for kernel in ["load", "copy", "update", "triad", "daxpy", "all kernels"] {
            let cells = [read("summary-before.csv"), after.clone()].map(|(header, rows)| {
                let column = |name: &str| header.iter().position(|one| one == name).expect("a column");
                let columns = ["points", "mean", "worst"].map(column);
                let by = |variant: &str| {
                    pooled(&rows, columns, &|row| {
                        &row[0] == "scaling"
                            && is_curve(row)
                            && (&row[2] == kernel || kernel == "all kernels")
                            && &row[5] == variant
                            && chose.iter().any(|set| *set == row[1]) == is_chosen
                    })
                };
                ["hard corner", "saturation_knee", "ecm_penalty"].map(by).join(" | ")
            });
            let star = if is_chosen { " \\*" } else { "" };
            let name = if kernel == "all kernels" { kernel.to_owned() } else { format!("`{kernel}`") };
            let line = format!("| {half}: {name}{star} | {} |", cells.join(" | "));
            assert!(page.lines().any(|one| one == line), "the page lacks this line:\n{line}");
        }
    }
}

#[test]
fn the_page_quotes_the_steps_of_the_table() {
    let read =
        |name: &str| fs::read_to_string(repository("results/published-data").join(name)).expect("a file");
    let (page, table) = (read("README.md"), read("table.txt"));
    let steps = table.split("What each step of the method is worth").nth(1).expect("a table");
    let lines: Vec<Vec<&str>> = steps
        .lines()
        .take_while(|line| !line.starts_with("STREAM"))
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    let section =
        page.split("### Step by step").nth(1).and_then(|rest| rest.split("\n#").next()).expect("a section");
    let mut quoted = 0;
    for line in section.lines().filter(|line| line.contains(" / ") && line.starts_with('|')) {
        let cells: Vec<&str> = line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert!(lines.contains(&cells), "table.txt has no such line: {cells:?}");
        quoted += 1;
    }
    assert_eq!(quoted, 9);
}

#[test]
fn the_page_quotes_the_values_of_several_at_once() {
    let read =
        |name: &str| fs::read_to_string(repository("results/published-data").join(name)).expect("a file");
    let (page, results) = (read("README.md"), read("co-run.txt"));
    let rows: Vec<Vec<&str>> = results.lines().map(|line| line.split_whitespace().collect()).collect();
    let section = page.split("## (f)").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a section");
    let cells = section.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split('|'));
    let mut quoted = 0;
    for cell in cells {
        // "20.7 / 48.8, yes"
        let figures = cell.split(',').next().unwrap_or_default();
        let Some((mean, worst)) = figures.trim().split_once(" / ") else { continue };
        let stands = rows.iter().any(|row| row.windows(2).any(|pair| pair == [mean, worst]));
        assert!(stands, "{mean} / {worst} is not in co-run.txt");
        quoted += 1;
    }
    assert!(quoted > 70, "{quoted}");
}
