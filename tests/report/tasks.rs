//! The section of a graph of tasks.

use serde_json::Value;

use super::html::{plain, script};
use super::{check_figures, numasim, stdout};
use crate::common::config_path;

fn page(more: &[&str]) -> String {
    stdout(&numasim(&[&["report", &config_path("tasks/gauss-seidel.toml")], more].concat()))
}

#[test]
fn a_graph_of_tasks_has_a_page_of_its_schedulers() {
    let page = page(&[]);
    let text = plain(&page);
    for words in [
        "How long do the tasks of gauss-seidel take on 2 nodes x 2 cores, as the model baseline-proportional has it, under 4 schedulers?",
        "The tasks of gauss-seidel are done after 0.001561 s with scheduler dep, the best of 4",
        "257 tasks on 64 blocks of data, 864 edges between them, 20 tasks on the longest path",
        "No schedule is shorter than the lower bound: the bytes that all memories must deliver.",
        "What served the bytes of all tasks, in GB",
        "Why cores were idle, of all cores x makespan",
        "tasks elsewhere master partitions master creates parents run none left together",
        "--scheduler fifo,sa,dep,rip-dep",
    ] {
        assert!(text.contains(words), "the page does not say {words}: {text}");
    }
    let section = page.split_once("<section id=\"tasks\"").expect("the section").1;
    let section = section.split_once("</section>").expect("its end").0;
    assert_eq!(section.matches("<svg ").count(), 4, "a chart for each scheduler");
    assert!(
        section.contains("var(--plot-ground-0") && page.contains("--plot-ground-0: #5c2a26"),
        "also on dark pages"
    );
    // For each scheduler makespan, bound, idle, partition; cut edges of three; five reasons and their sum.
    assert!(check_figures(&page) >= 4 * 4 + 3 + 4 * 6);
}

#[test]
fn the_json_inside_is_that_of_tasks() {
    let more = ["--scheduler", "fifo,heft"];
    let file = config_path("tasks/gauss-seidel.toml");
    let told = stdout(&numasim(&[&["tasks", &file, "--format", "json"], &more[..]].concat()));
    let told: Value = serde_json::from_str(&told).expect("valid JSON");
    assert_eq!(script(&page(&more), "tasked"), told);
}
