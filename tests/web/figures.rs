//! The page has the same figures as the command line, to the last bit.

use serde_json::Value;

use super::chromium::told;
use super::{numasim, page, repository};

/// The names of the files in a folder of the catalogue, in its order.
fn catalogue(folder: &str) -> Vec<String> {
    let all = numasim(&["catalog", folder]);
    let paths =
        all["files"].as_array().expect("a list").iter().map(|file| file["path"].as_str().expect("text"));
    paths
        .map(|path| path.trim_start_matches(folder).trim_matches('/').trim_end_matches(".toml").to_owned())
        .collect()
}

/// Writes the placement of the page into a file and has the program evaluate it.
fn evaluated(machine: &str, workload: &str, placed: &Value) -> Value {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("what-if.toml");
    std::fs::write(&file, placed.as_str().expect("text")).expect("a file for the test");
    let files = [format!("configs/machines/{machine}.toml"), format!("configs/workloads/{workload}.toml")];
    let [machine, workload] = files.map(|path| repository(&path).display().to_string());
    let file = file.display().to_string();
    numasim(&["evaluate", &machine, &workload, &file, "--scenario", "what-if"])
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn every_machine_with_every_workload_is_evaluated_as_by_the_program() {
    let Some(page) = page() else { return };
    // Threads of the first application are moved, so that no two nodes are alike.
    let script = "const all = [];\
        for (const machine of [...by('machine').options].map((one) => one.value).filter(Boolean))\
        for (const workload of [...by('workload').options].map((one) => one.value).filter(Boolean)) {\
          set('machine', machine, 'change'); set('workload', workload, 'change');\
          const first = document.querySelector('[id^=threads-0-]'); first.value = 1; first.dispatchEvent(new Event('input'));\
          const { document: found, placed } = JSON.parse(answer);\
          all.push({ machine, workload, placed, text: answer.slice(answer.indexOf('{', 1), answer.indexOf(',\"maps\":')), total: found.scenarios[0].total_gflops });\
        } tell(all);";
    let (all, console) = told(&page, "", script);
    assert!(console.is_empty(), "{console:?}");
    let all = all.as_array().expect("a list");
    let text = |one: &Value, key: &str| one[key].as_str().expect("text").to_owned();
    let pairs: Vec<_> = all.iter().map(|one| (text(one, "machine"), text(one, "workload"))).collect();
    let workloads = catalogue("workloads");
    let wanted = catalogue("machines").into_iter();
    let wanted: Vec<_> =
        wanted.flat_map(|machine| workloads.iter().map(move |one| (machine.clone(), one.clone()))).collect();
    assert_eq!(pairs, wanted, "the page has the machines and workloads of `numasim catalog`");
    for (one, (machine, workload)) in all.iter().zip(&pairs) {
        let theirs: Value = serde_json::from_str(one["text"].as_str().expect("text")).expect("JSON");
        assert_eq!(theirs, evaluated(machine, workload, &one["placed"]), "{machine} {workload}");
    }
    println!("{} documents of evaluate are the same, of every machine with every workload", all.len());
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn searches_find_the_same_document() {
    let Some(page) = page() else { return };
    let cases = [
        ("xeon-gold-6138-4s", "genomics", "geomean"),
        ("xeon-gold-6140-2s", "hpc-node", "fair"),
        ("xeon-gold-6140-2s", "paper-numa-bad", "total-gflops"),
        ("xeon-gold-6140-2s", "hpc-node", "makespan"),
    ];
    for (machine, workload, objective) in cases {
        let hash = format!("#machine={machine}&workload={workload}&objective={objective}");
        let script = "const placed = JSON.parse(answer).placed; by('explore').click(); await until(() => window.explored);\
            tell({ placed, said: by('searched').textContent, rows: document.querySelectorAll('#found tbody tr').length,\
              text: explored.slice(explored.indexOf('{', 1), explored.lastIndexOf(',\"placed\":[{')) });";
        let (found, console) = told(&page, &hash, script);
        assert!(console.is_empty(), "{console:?}");
        let mut theirs: Value =
            serde_json::from_str(found["text"].as_str().expect("text")).expect("JSON of the search");
        let folder = tempfile::tempdir().expect("a folder for the test");
        let file = folder.path().join("what-if.toml");
        std::fs::write(&file, found["placed"].as_str().expect("text")).expect("a file for the test");
        let files =
            [format!("configs/machines/{machine}.toml"), format!("configs/workloads/{workload}.toml")];
        let [machine, workload] = files.map(|path| repository(&path).display().to_string());
        let file = file.display().to_string();
        let mut ours = numasim(&["explore", &machine, &workload, &file, "--objective", objective]);
        for document in [&mut theirs, &mut ours] {
            document["elapsed_s"] = Value::Null;
        }
        assert_eq!(theirs, ours, "{hash}");
        let said = found["said"].as_str().expect("text");
        assert!(said.starts_with("Best"), "{said}");
        println!("{hash}: {said}");
    }
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn a_move_is_computed_and_redrawn_within_50_ms() {
    let Some(page) = page() else { return };
    let script = "const times = [];\
        for (const machine of [...by('machine').options].map((one) => one.value).filter(Boolean)) {\
          set('machine', machine, 'change'); const took = [];\
          const threads = document.querySelector('[id^=threads-0]').id; /* of every node, or of the only one */\
          for (let i = 0; i < 30; i++) { set('figure-0', i - 15); took.push(Number(by('redrawn').dataset.ms)); set(threads, i % 4); took.push(Number(by('redrawn').dataset.ms)); }\
          took.sort((a, b) => a - b); times.push({ machine, median: took[30], most: took[59] });\
        } tell(times);";
    let (times, _) = told(&page, "", script);
    for one in times.as_array().expect("a list") {
        let ms = |key: &str| one[key].as_f64().expect("a number");
        println!("{}: median {:.1} ms, most {:.1} ms", one["machine"], ms("median"), ms("most"));
        assert!(ms("median") < 50.0, "{one}");
    }
}
