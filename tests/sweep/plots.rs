//! `--plot`.

use super::*;

fn plotted(file: &str, args: &[&str]) -> String {
    let folder = folder();
    let plot = folder.path().join("plot.svg");
    written(&[&["sweep", &config(file), "--plot", &plot.display().to_string()][..], args].concat());
    fs::read_to_string(plot).expect("drawn")
}

/// The texts of a plot.
fn texts(svg: &str) -> Vec<&str> {
    svg.split("</text>").filter_map(|part| part.rsplit(">\n").next()).map(str::trim).collect()
}

#[test]
fn one_axis_is_drawn_as_a_line_for_each_scenario() {
    let svg = plotted("paper/numa-bad.toml", &["--set", "machine.link_gbs=1..40:1"]);
    let found = texts(&svg);
    // 0: the axis of the results is not cut off, though all of them lie between 130 and 160.
    for text in [
        "How does the result depend on machine.link_gbs?",
        "machine.link_gbs (GB/s)",
        "GFLOPS",
        "even 2,2,2,2",
        "0",
    ] {
        assert!(found.contains(&text), "{text} is missing in {found:?}");
    }
    let subtitle = found.iter().find(|text| text.starts_with("2 scenarios; "));
    assert_eq!(
        subtitle,
        Some(&"2 scenarios; model baseline-proportional; 4 nodes x 8 cores, 60 GB/s"),
        "{found:?}"
    );
}

#[test]
fn the_plots_in_the_guide_are_current() {
    for (page, name) in [("sweeps", "what-if"), ("real-kernels", "static-work")] {
        let guide = fs::read_to_string(root().join(format!("docs/guide/{page}.md"))).expect("a page");
        let guide = guide.replace("\\\n", " ");
        let line =
            guide.lines().find(|line| line.starts_with("numasim sweep ")).expect("an example of sweep");
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(words.contains(&format!("{name}.svg").as_str()), "{line}");
        let at = words.iter().position(|word| *word == "--set").expect("a key");
        let svg = plotted(words[2].strip_prefix("configs/").expect("a shipped file"), &words[at..at + 2]);
        crate::dark::keep(name, &svg, |svg| vec![svg], "sweep");
    }
}

#[test]
fn shares_on_one_node_are_an_axis_of_numbers_and_other_places_are_words() {
    let of =
        |values: &str| plotted("kernels/static-work.toml", &["--set", &format!("app.dmv.data={values}")]);
    let shares = of("local,home:1:0.5,home:1");
    assert!(texts(&shares).contains(&"app.dmv.data: share on node 1, the rest local"), "{shares}");
    for values in ["local,home:0:0.5,home:1", "home:0,local", "local,interleave"] {
        let words = of(values);
        assert!(texts(&words).contains(&"app.dmv.data") && texts(&words).contains(&"local"), "{words}");
    }
}

#[test]
fn one_scenario_is_drawn_with_its_applications_and_equal_ones_together() {
    let args = ["--scenario", "even 2,2,2,2", "--set", "app.mem.arithmetic_intensity=1/64..1*2"];
    let svg = plotted("paper/numa-bad.toml", &args);
    let found = texts(&svg);
    for text in ["all applications", "mem-1, mem-2, mem-3", "bad", "1/64", "1/32", "1"] {
        assert!(found.contains(&text), "{text} is missing in {found:?}");
    }
}

#[test]
fn two_axes_are_a_heat_map_with_units() {
    let args = [
        "--scenario",
        "even 2,2,2,2",
        "--set",
        "machine.link_gbs=5..20:5",
        "--set",
        "scenario.\"even 2,2,2,2\".threads.mem=1..3:1",
    ];
    let svg = plotted("paper/numa-bad.toml", &args);
    let found = texts(&svg);
    // Three threads of each of the three and two more are 11 on 8 cores.
    for text in ["machine.link_gbs (GB/s)", "scenario.\"even 2,2,2,2\".threads.mem", "GFLOPS", "no result"] {
        let escaped = text.replace('"', "&quot;");
        assert!(found.contains(&text) || found.contains(&escaped.as_str()), "{text} is missing in {found:?}");
    }
}

#[test]
fn impossible_plots_are_refused_before_anything_is_computed() {
    let folder = folder();
    let refused = |plot: &str, args: &[&str]| {
        let plot = folder.path().join(plot).display().to_string();
        let output = run(&[&["sweep", &config("paper/numa-bad.toml"), "--plot", &plot][..], args].concat());
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        stderr(&output)
    };
    let one = ["--set", "machine.link_gbs=1,2"];
    let two = [&one[..], &["--set", "machine.bandwidth_gbs=10,20"]].concat();
    let three = [&two[..], &["--set", "app.mem.arithmetic_intensity=1,2"]].concat();
    assert!(refused("a.gif", &one).contains("plots are SVG, PNG or PDF"));
    assert!(refused("a.svg", &two).contains("a heat map shows one scenario"));
    assert!(refused("a.svg", &three).contains("one or two axes, but this sweep has 3"));
    assert!(refused("a.svg", &["--set", "machine.link_gbs=1"]).contains("this sweep has 0"));
    let many = ["--scenario", "even 2,2,2,2", "--set", "machine.link_gbs=1..200000:1"];
    assert!(refused("a.svg", &many).contains("more than a plot can show"));
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0);
}
