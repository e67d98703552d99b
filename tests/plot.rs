//! `numasim plot`, and plots as PNG.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn config(path: &str) -> String {
    root().join("configs").join(path).display().to_string()
}

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numasim"));
    command.stdin(Stdio::null()).env("COLUMNS", "100").args(args).output().expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8 on standard error")
}

/// The texts of the drawing on standard output.
fn texts(args: &[&str]) -> Vec<String> {
    let output = run(&[&["plot"][..], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let svg = String::from_utf8(output.stdout).expect("UTF-8 on standard output");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    let parts = svg.split("</text>").filter_map(|part| part.rsplit_once("<text")?.1.split_once('>'));
    parts.map(|(_, text)| text.trim().to_owned()).collect()
}

fn refused(args: &[&str]) -> String {
    let output = run(&[&["plot"][..], args].concat());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{args:?}");
    stderr(&output)
}

fn assert_has(texts: &[String], wanted: &[&str]) {
    for want in wanted {
        assert!(texts.iter().any(|text| text == want), "{want} is missing in {texts:?}");
    }
}

#[test]
fn every_kind_is_drawn_with_its_units() {
    let (bad, table) = (config("paper/numa-bad.toml"), config("paper/table-iii-all.toml"));
    let measured = root().join("results/paper-table-iii/measured.csv").display().to_string();
    let even = "even 2,2,2,2";
    assert_has(
        &texts(&["threads", &bad, "--scenario", even]),
        &["node 3", "60.0 / 60.0 GB/s", "10.0 / 10.0"],
    );
    let roofline = texts(&["roofline", &bad, "--scenario", even]);
    assert_has(
        &roofline,
        &["arithmetic intensity (FLOP/byte)", "performance (GFLOPS)", "1 FLOP/byte, 37.50 GFLOPS"],
    );
    assert_has(&texts(&["matrix", &bad]), &["bandwidth (GB/s)", "node of the cores", "60.0", "10.0"]);
    let bars = texts(&["bars", &table, "--measured", &measured]);
    assert_has(&bars, &["GFLOPS of all applications", "+1.7 %", "-0.1 %", "-0.7 %", "+5.5 %", "+4.5 %"]);
    assert_has(
        &texts(&["scatter", &table, "--measured", &measured]),
        &["measured (GFLOPS)", "predicted (GFLOPS)"],
    );
}

#[test]
fn the_thread_map_in_the_guide_is_current() {
    let output = run(&["plot", "threads", &config("paper/numa-bad.toml"), "--scenario", "even 2,2,2,2"]);
    let drawn = String::from_utf8(output.stdout).expect("UTF-8 on standard output");
    crate::dark::keep("threads", &drawn, |svg| vec![svg], "plot");
}

#[test]
fn the_best_allocation_of_the_paper_is_the_best_cell() {
    let file = config("paper/uneven-even-nodes.toml");
    let found = texts(&["allocations", &file, "--objective", "total-gflops"]);
    // 1 of each mem, 5 compute: 254 GFLOPS; 2 and 2: 140.
    assert_has(
        &found,
        &[
            "model baseline-proportional; best: 254.0 for 1 mem, 5 compute; 4 nodes x 8 cores (4 NUMA nodes, 32 cores)",
            "254.0",
            "140.0",
            "GFLOPS",
            "impossible",
        ],
    );
    assert_has(
        &found,
        &["threads of each mem (3 instances) on each node", "threads of compute on each node"],
    );
    // mem-3 has no threads: 2 x 20 GB/s of 32, and 6 x 10 GFLOPS with 6 GB/s, on 4 nodes:
    // 6 compute take 6 GB/s, the two others 13 GB/s each: 4 x (60 + 13) = 292
    let rest = texts(
        &[
            &["allocations", &file, "--objective", "total-gflops"][..],
            &["--x", "mem-1", "--y", "mem-2", "--rest", "compute"],
        ]
        .concat(),
    );
    assert_has(&rest, &["292.0"]);
    let named = "model baseline-proportional; compute gets the remaining cores; 1 application without threads; best: 292.0 for 1 mem-1, 1 mem-2; ";
    assert!(rest.iter().any(|text| text.starts_with(named)), "{rest:?}");
}

#[test]
fn allocations_of_static_work_wait_for_their_slowest_threads() {
    let text = "[machine]\nname = \"two\"\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 100\nbandwidth_gbs = 60\nlink_gbs = 20\n\
                [[app]]\nname = \"a\"\narithmetic_intensity = 1\ndata = { home = 0 }\n\
                [[app]]\nname = \"b\"\narithmetic_intensity = 100\n\
                [[scenario]]\nname = \"loop\"\nthreads = { a = 1 }\nstatic = true\n";
    let (_folder, file) = crate::common::study(text);
    let file = file.to_str().expect("a name");
    // One of `a` and one of `b` on each node: `b` reads 1 GB/s of its node and does 100 GFLOPS, twice; `a` has 59 GB/s of node 0, 20 of them over the link,
    // 259 in all. Statically it is as slow as the thread beyond the link, 2 x 20: 240 in all.
    let shared = texts(&["allocations", file, "--objective", "total-gflops"]);
    assert_has(&shared, &["259.0"]);
    for flags in [&["--static-work"][..], &["--scenario", "loop"]] {
        let found = texts(&[&["allocations", file, "--objective", "total-gflops"][..], flags].concat());
        assert_has(&found, &["240.0"]);
        assert!(found.iter().any(|text| text.contains("work divided beforehand")), "{found:?}");
    }
    assert!(
        refused(&["matrix", file, "--static-work"]).contains("--static-work is for `plot allocations` only")
    );
}

#[test]
fn a_question_without_a_picture_is_refused_with_a_hint() {
    let bad = config("paper/numa-bad.toml");
    let several = refused(&["threads", &bad]);
    assert!(
        several.contains("a thread map shows one scenario") && several.contains("even 2,2,2,2"),
        "{several}"
    );
    assert!(
        refused(&["threads", &bad, "--scenario", "evem 2,2,2,2"]).contains("did you mean 'even 2,2,2,2'?")
    );
    assert!(refused(&["bars", &bad]).contains("--measured"));
    assert!(refused(&["matrix", &bad, "--x", "mem"]).contains("--x is for `plot allocations` only"));
    assert!(refused(&["matrix", &bad, "--scenario", "even 2,2,2,2"]).contains("leave --scenario out"));
    assert!(refused(&["matrix", &bad, "--measured", "a.csv"]).contains("--measured is for"));
    assert!(refused(&["allocations", &bad, "--x", "men"]).contains("did you mean 'mem'?"));
    assert!(refused(&["allocations", &bad, "--x", "mem", "--y", "mem-2"]).contains("the same application"));
}

#[test]
fn an_open_home_is_shown_at_its_place() {
    let (machine, apps) = (config("machines/opteron-8n.toml"), config("workloads/data-center.toml"));
    let open = refused(&["allocations", &machine, &apps, "--x", "scan"]);
    assert!(open.contains("the home of the data of `scan` is open, and plot does not choose"), "{open}");
    let text = std::fs::read_to_string(&apps).expect("the applications");
    let (line, before) = text
        .lines()
        .zip(1..)
        .find_map(|(line, number)| Some((number, line.find("{ home = \"any\" }")?)))
        .expect("an open home");
    assert!(open.contains(&format!("data-center.toml:{line}:{}\n", before + 1)), "{open}");
    assert!(open.contains("data = { scan = { home = 0 } }"), "{open}");
}

#[test]
fn an_open_home_in_a_scenario_is_shown_at_the_scenario() {
    let text = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10.0\nbandwidth_gbs = 40.0\n\
                link_gbs = 10.0\n[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\n\
                [[app]]\nname = \"b\"\narithmetic_intensity = 1.0\n\
                [[scenario]]\nname = \"open\"\nthreads = { a = 1, b = 1 }\ndata = { b = { home = \"any\" } }\n";
    let (_folder, file) = crate::common::study(text);
    let file = file.to_str().expect("a plain path");
    for (kind, named) in [
        ("allocations", "drawn with the data of this scenario"),
        ("threads", "evaluated in this scenario"),
        ("roofline", "evaluated in this scenario"),
    ] {
        let open = refused(&[kind, file, "--scenario", "open"]);
        // The value of `b` in the 17th line.
        assert!(open.contains("study.toml:17:14\n") && open.contains(named), "{kind}: {open}");
    }
    // Without the scenario no home is open.
    texts(&["allocations", file, "--objective", "total-gflops"]);
}

/// Two nodes of 4 cores with 10 GiB each; all data of `a` is on node 0, that of `b` is local to its threads.
fn sized(gib_of_a: u32, gib_of_b: u32) -> (tempfile::TempDir, std::path::PathBuf) {
    crate::common::study(&format!(
        "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10.0\nbandwidth_gbs = 40.0\n\
         link_gbs = 10.0\nmemory_gib = 10.0\n[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\n\
         data = {{ home = 0 }}\nmemory_gib = {gib_of_a}.0\n[[app]]\nname = \"b\"\narithmetic_intensity = 1.0\n\
         memory_gib = {gib_of_b}.0\nmin_threads = 0\n"
    ))
}

#[test]
fn allocations_whose_data_does_not_fit_have_no_cell() {
    let cells = |gib_of_b| {
        let (_folder, file) = sized(8, gib_of_b);
        let found = texts(&["allocations", file.to_str().expect("a plain path")]);
        found.iter().filter(|text| text.parse::<f64>().is_ok_and(|_| text.contains('.'))).count()
    };
    // With threads half of the data of `b` lies on each node: 8 + 1 of 10 GiB, but not 8 + 3; then b has 0 threads.
    assert!(cells(6) < cells(2), "{} and {}", cells(6), cells(2));
    assert!(cells(6) > 0);
}

#[test]
fn data_too_large_even_without_threads_is_refused_at_its_size() {
    let (_folder, file) = sized(9, 6);
    let text = std::fs::read_to_string(&file).expect("the study");
    std::fs::write(&file, text.replace("min_threads = 0", "min_threads = 1")).expect("a file");
    let file = file.to_str().expect("a plain path");
    let full = refused(&["allocations", file]);
    let words = "12 GiB of data are to lie on node 0, which has 10 GiB of memory: 9 GiB of 'a', 3 GiB of 'b'";
    let joined = full.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains("does not fit with any numbers of threads"), "{full}");
    assert!(joined.contains(words), "{full}");
    // `memory_gib` of `a` in the 13th line.
    assert!(full.contains("study.toml:13:"), "{full}");
}

#[test]
fn nothing_is_written_if_the_name_is_no_picture() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let eps = folder.path().join("a.eps").display().to_string();
    let message = refused(&["matrix", &config("paper/numa-bad.toml"), "-o", &eps]);
    assert!(message.contains("plots are SVG, PNG or PDF"), "{message}");
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0);
}

#[test]
fn input_files_are_not_replaced() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let input = folder.path().join("machine.svg").display().to_string();
    fs::copy(config("paper/numa-bad.toml"), &input).expect("copied");
    assert!(refused(&["matrix", &input, "-o", &input]).contains("is also an input file"));
}

#[cfg(not(feature = "png"))]
#[test]
fn a_build_without_png_explains_how_to_get_it() {
    let message = refused(&["matrix", &config("paper/numa-bad.toml"), "-o", "a.png"]);
    assert!(message.contains("cargo build --release --features png"), "{message}");
}

#[cfg(not(feature = "pdf"))]
#[test]
fn a_build_without_pdf_explains_how_to_get_it() {
    let message = refused(&["matrix", &config("paper/numa-bad.toml"), "-o", "a.pdf"]);
    assert!(message.contains("cargo build --release --features pdf"), "{message}");
}

#[cfg(feature = "pdf")]
#[test]
fn plots_of_every_command_can_be_pdf() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let bad = config("paper/numa-bad.toml");
    let front = ["explore", &bad, "--same-on-every-node", "--pareto", "total-gflops,fair", "--plot"];
    for (name, args) in [
        ("sweep.pdf", &["sweep", &bad, "--set", "machine.link_gbs=1..40:1", "--plot"][..]),
        ("front.PDF", &front[..]),
        ("matrix.pdf", &["plot", "matrix", &bad, "-o"][..]),
    ] {
        let file = folder.path().join(name);
        let output = run(&[args, &[file.display().to_string().as_str()][..]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let bytes = fs::read(&file).expect("written");
        assert!(bytes.starts_with(b"%PDF-1.") && bytes.ends_with(b"%%EOF"), "{name}");
        if let Some(words) = tool("pdftotext", &[&file.display().to_string(), "-"]) {
            assert!(words.contains("GB/s") || words.contains("GFLOPS"), "{name}: {words}");
            // One page: a form feed follows each.
            assert_eq!(words.matches('\u{c}').count(), 1, "{name}");
        }
    }
}

/// The output of a tool of this host; `None` if it is not installed.
#[cfg(feature = "pdf")]
fn tool(name: &str, args: &[&str]) -> Option<String> {
    match std::process::Command::new(name).args(args).output() {
        Ok(output) => {
            assert!(output.status.success(), "{output:?}");
            Some(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Err(_) if std::env::var_os("NUMASIM_REQUIRE_TOOLS").is_none_or(|value| value != "1") => {
            eprintln!("skipped: no {name} here");
            None
        }
        Err(error) => panic!("{name}: {error}"),
    }
}

#[cfg(feature = "png")]
#[test]
fn plots_of_every_command_can_be_png() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let bad = config("paper/numa-bad.toml");
    let png = |name: &str, args: &[&str]| {
        let file = folder.path().join(name);
        let output = run(&[args, &[file.display().to_string().as_str()][..]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let bytes = fs::read(file).expect("written");
        assert!(bytes.starts_with(b"\x89PNG"), "{name}");
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        (number(16), number(20))
    };
    // 900 x 560 pixels of the SVG, twice.
    assert_eq!(
        png("sweep.png", &["sweep", &bad, "--set", "machine.link_gbs=1..40:1", "--plot"]),
        (1800, 1120)
    );
    let front = ["explore", &bad, "--same-on-every-node", "--pareto", "total-gflops,fair", "--plot"];
    assert_eq!(png("front.PNG", &front), (1800, 1120));
    assert_eq!(png("allocations.png", &["plot", "allocations", &bad, "-o"]), (1800, 1120));
}
