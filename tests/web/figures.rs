//! The page has the same values as the command line, to the last bit.

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
fn every_machine_with_every_workload_equals_the_program() {
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

/// The texts of a page with a placement that nothing else has: the names of its files, and the placement as a file in `folder`.
fn files_with(placed: &Value, folder: &std::path::Path) -> [String; 3] {
    let file = folder.join("what-if.toml");
    std::fs::write(&file, placed.as_str().expect("text")).expect("a file for the test");
    let files = ["configs/machines/xeon-gold-6140-2s.toml", "configs/workloads/stencil-and-inference.toml"];
    let [machine, workload] = files.map(|path| repository(path).display().to_string());
    [machine, workload, file.display().to_string()]
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn every_model_is_side_by_side_and_equals_the_program() {
    let Some(page) = page() else { return };
    let script = "set('threads-0-0', 4); const { placed } = JSON.parse(answer); window.compared = null; await until(() => window.compared);\
        tell({ placed, text: compared.slice(compared.indexOf('{', 1), compared.lastIndexOf(',\"worth\":')), range: by('range').textContent,\
          rows: [...document.querySelectorAll('#models tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent)) });";
    let (found, console) = told(&page, "", script);
    assert!(console.is_empty(), "{console:?}");
    let theirs: Value = serde_json::from_str(found["text"].as_str().expect("text")).expect("JSON");
    let folder = tempfile::tempdir().expect("a folder for the test");
    let files = files_with(&found["placed"], folder.path());
    let [machine, workload, file] = files.each_ref().map(String::as_str);
    let ours = numasim(&["evaluate", machine, workload, file, "--scenario", "what-if", "--model", "all"]);
    assert_eq!(theirs, ours);
    let models = ours["models"].as_array().expect("a list");
    let rows = found["rows"].as_array().expect("a list");
    assert_eq!(rows.len(), models.len());
    for (row, model) in rows.iter().zip(models) {
        let name = model["model"].as_str().expect("text");
        assert!(row[0].as_str().expect("text").starts_with(name), "{row}");
        let total = model["scenarios"][0]["total_gflops"].as_f64().expect("a number");
        assert_eq!(row[1], format!("{total:.1}"), "{name}");
    }
    let range = found["range"].as_str().expect("text");
    assert!(range.starts_with("6 models: ") && range.ends_with(" GFLOPS"), "{range}");
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn the_robust_placement_is_shown_with_its_losses_and_equals_the_program() {
    let Some(page) = page() else { return };
    let script = "const { placed } = JSON.parse(answer); by('robust').click(); by('explore').click(); await until(() => !by('losses-box').hidden);\
        await new Promise((go) => setTimeout(go, 400));\
        tell({ placed, said: by('searched').textContent, hash: location.hash, text: explored.slice(explored.indexOf('{', 1), explored.lastIndexOf(',\"placed\":[{')),\
          shown: JSON.parse(answer).document.scenarios[0].apps.map((app) => app.threads), marked: document.querySelector('#found [aria-current]').cells[0].textContent,\
          rows: [...document.querySelectorAll('#losses tbody tr')].map((row) => [...row.cells].slice(0, 2).map((cell) => cell.textContent)) });";
    let hash = "#machine=xeon-gold-6140-2s&workload=stencil-and-inference&objective=fair";
    let (found, console) = told(&page, hash, script);
    assert!(console.is_empty(), "{console:?}");
    let mut theirs: Value =
        serde_json::from_str(found["text"].as_str().expect("text")).expect("JSON of the search");
    let folder = tempfile::tempdir().expect("a folder for the test");
    let files = files_with(&found["placed"], folder.path());
    let [machine, workload, file] = files.each_ref().map(String::as_str);
    let mut ours = numasim(&["explore", machine, workload, file, "--objective", "fair", "--models", "all"]);
    for document in [&mut theirs, &mut ours] {
        document["elapsed_s"] = Value::Null;
    }
    assert_eq!(theirs, ours);
    let threads: Vec<&Value> = ours["robust"]["best"]["apps"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|app| &app["threads"])
        .collect();
    assert_eq!(found["shown"].as_array().expect("a list").iter().collect::<Vec<_>>(), threads);
    assert_eq!(found["marked"], "robust");
    let worst = ours["robust"]["worst_regret"].as_f64().expect("a number") * 100.0;
    assert_eq!(found["rows"][0], serde_json::json!(["robust", format!("{worst:.1}")]));
    assert_eq!(found["rows"][1][0], "best of ecm");
    assert!(found["said"].as_str().expect("text").contains("Robust: at most "), "{}", found["said"]);
    assert!(found["hash"].as_str().expect("text").contains("restrictions=robust"), "{}", found["hash"]);
}

const DOMAINS: &str = "\
[machine]
name = \"chiplets\"
nodes = 2
cores_per_node = 16
cores_per_l3 = 4
l3_read_gbs = 50.0
threads_per_core = 2
gflops_per_core = 20.0
core_bandwidth_gbs = 30.0
bandwidth_gbs = 180.0
link_gbs = 40.0
";

const THREADS: &str = "\
[[app]]
name = \"vm\"
arithmetic_intensity = 0.8
smt = \"any\"
smt_speedup = 1.25
min_threads = 8
max_threads = 8
[[app]]
name = \"hpc\"
arithmetic_intensity = 10.0
";

#[test]
#[ignore = "long: .ci/web runs it"]
fn l3_domains_and_hardware_threads_equal_those_of_the_program() {
    let Some(page) = page() else { return };
    let [machine, workload] = [DOMAINS, THREADS].map(|text| Value::from(text).to_string());
    let script = format!(
        "set('machine-text', {machine}); set('workload-text', {workload}); await until(() => by('smt-0') && by('threads-0-1-3'));\
         set('threads-0', 0); set('threads-1', 5); set('smt-0', 'both', 'change'); set('threads-0-0-1', 5); set('threads-0-1-3', 2);\
         const of = (text, after) => text.slice(text.indexOf('{{', 1), text.lastIndexOf(after)); const found = answer;\
         by('in-domains').open = true; set('domains-most-2', 7, 'change'); set('domains-threads-1', 4, 'change');\
         by('explore').click(); await until(() => window.explored);\
         const words = document.querySelector('#found tbody tr').textContent; document.querySelector('#found button').click();\
         const ofAnswer = (text) => of(text, ',\"maps\":'); tell({{ found: ofAnswer(found), placed: JSON.parse(found).placed,\
           best: of(explored, ',\"placed\":[{{'), words, shown: ofAnswer(answer),\
           boxes: [...document.querySelectorAll('[id^=threads-0-0-]')].map((box) => Number(box.value)), smt: by('smt-0').value,\
           domains: document.querySelectorAll('#domains tbody tr').length, cores: by('apps').textContent, trouble: by('trouble').textContent }});"
    );
    let (told, console) = told(&page, "", &script);
    assert!(console.is_empty(), "{console:?}");
    assert_eq!(told["trouble"], "");
    let document = |key: &str| -> Value {
        serde_json::from_str(told[key].as_str().expect("text")).expect("JSON of the page")
    };
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file for the test");
        path.display().to_string()
    };
    let [machine, workload] = [file("machine.toml", DOMAINS), file("workload.toml", THREADS)];
    let placed = file("what-if.toml", told["placed"].as_str().expect("text"));
    // An odd number of hardware threads becomes the next even one. `hpc` keeps the places that its 5 threads were distributed to: domain 0
    // got two of them.
    let text = "threads = { \"vm\" = [[0, 6, 0, 0], [0, 0, 0, 2]], \"hpc\" = [[2, 1, 1, 1], [2, 1, 1, 1]] }";
    assert!(told["placed"].as_str().expect("text").contains(text), "{}", told["placed"]);
    let files = [machine.as_str(), &workload, &placed];
    let asked = |command: &[&str]| numasim(&[&command[..1], &files, &command[1..]].concat());
    assert_eq!(document("found"), asked(&["evaluate", "--scenario", "what-if"]));
    let mut ours = asked(&["explore", "--threads-per-l3", "vm=4", "--max-l3", "hpc=7"]);
    let mut best = document("best");
    for document in [&mut best, &mut ours] {
        document["elapsed_s"] = Value::Null;
    }
    assert_eq!(best, ours);
    let shown = document("shown");
    let vm = &shown["scenarios"][0]["apps"][0];
    assert_eq!(*vm, best["best"]["apps"][0]);
    assert_eq!(told["boxes"], vm["threads_per_l3"][0], "the best is shown in the boxes");
    assert_eq!((&vm["smt"], &told["smt"]), (&Value::from("both"), &Value::from("both")));
    assert!(told["words"].as_str().expect("text").contains("both hardware threads: vm"), "{}", told["words"]);
    assert!(told["cores"].as_str().expect("text").contains("4 (both)"), "{}", told["cores"]);
    assert_eq!(told["domains"], 8, "each L3 domain reads memory");
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
