//! Project rules that a program can check: module comments, input files, links, names of modules in the map, and code
//! that the map forbids in some places.

mod circles;
mod prose;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use numasim_study::SourceFile;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Every file below `folder`, without build outputs and hidden folders other than `.ci`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("readable").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let hidden = name.starts_with('.') && name != ".ci";
        if path.is_dir() && !hidden && name != "target" && !path.join("CACHEDIR.TAG").exists() {
            found.extend(files(&path));
        } else if path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn with_extension(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = files(&root().join(folder));
    found.retain(|path| path.extension().is_some_and(|e| e == extension));
    assert!(!found.is_empty(), "no .{extension} file in {folder}");
    found
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(root().join(path)).expect("a text file of the repository")
}

/// The path from the root, for messages.
fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn none(wrong: &[String], rule: &str) {
    assert!(wrong.is_empty(), "{rule}:\n{}", wrong.join("\n"));
}

/// All Rust files of the repository.
fn modules() -> Vec<PathBuf> {
    ["crates", "tests", "tools", "fuzz", "bindings"].map(|folder| with_extension(folder, "rs")).concat()
}

#[test]
fn every_module_has_a_description() {
    let wrong: Vec<String> =
        modules().iter().filter(|path| !read(path).starts_with("//!")).map(|path| short(path)).collect();
    none(&wrong, "a module begins with a //! comment");
}

/// The roots of Cargo's compilation for a manifest: those that it names and those found by their place.
fn targets(manifest: &Path) -> Vec<PathBuf> {
    let folder = manifest.parent().expect("a folder");
    let table: toml::Table = read(manifest).parse().expect("TOML");
    let Some(package) = table.get("package") else { return Vec::new() };
    let named = ["lib", "bin", "test", "bench", "example"].into_iter().filter_map(|kind| table.get(kind));
    let named = named.flat_map(|value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]));
    let named = named.filter_map(|target| Some(folder.join(target.get("path")?.as_str()?)));
    let found = [("bins", "src/bin"), ("tests", "tests"), ("benches", "benches"), ("examples", "examples")];
    let found = found.into_iter().filter(|(kind, _)| package.get(format!("auto{kind}")).is_none());
    let found = found.flat_map(|(_, kind)| {
        let entries = fs::read_dir(folder.join(kind)).into_iter().flatten();
        entries.map(|entry| entry.expect("readable").path())
    });
    let found = found.map(|path| if path.is_dir() { path.join("main.rs") } else { path });
    let fixed = ["src/lib.rs", "src/main.rs", "build.rs"].map(|file| folder.join(file));
    let all = named.chain(found).chain(fixed);
    all.filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .filter_map(|path| path.canonicalize().ok())
        .collect()
}

/// The files of the modules that a file declares with `mod name;`, and whether their child modules are next to them, as for a root: the
/// rule of Rust if `#[path]` names a file.
fn declared(file: &Path, beside: bool) -> Vec<(PathBuf, bool)> {
    let folder = file.parent().expect("a folder");
    let below = if beside || file.ends_with("mod.rs") { folder.to_owned() } else { file.with_extension("") };
    let mut found = Vec::new();
    let mut elsewhere = None;
    for line in read(file).lines().map(str::trim) {
        if let Some(path) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) {
            elsewhere = Some(folder.join(path));
            continue;
        }
        let item =
            line.strip_prefix("pub").map_or(line, |rest| rest.split_once(' ').map_or("", |(_, item)| item));
        if let Some(name) = item.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
            let usual = [below.join(format!("{name}.rs")), below.join(name).join("mod.rs")].to_vec();
            let beside = elsewhere.is_some();
            let candidates = elsewhere.take().map_or(usual, |path| vec![path]);
            found.extend(candidates.iter().filter_map(|path| Some((path.canonicalize().ok()?, beside))));
        }
    }
    found
}

#[test]
fn every_rust_file_is_compiled() {
    let manifests = files(&root()).into_iter().filter(|path| path.ends_with("Cargo.toml"));
    let roots: Vec<PathBuf> = manifests.flat_map(|manifest| targets(&manifest)).collect();
    let mut compiled: BTreeSet<PathBuf> = roots.iter().cloned().collect();
    let mut open: Vec<(PathBuf, bool)> = roots.into_iter().map(|root| (root, true)).collect();
    while let Some((file, beside)) = open.pop() {
        open.extend(
            declared(&file, beside).into_iter().filter(|(module, _)| compiled.insert(module.clone())),
        );
    }
    let stray: Vec<String> =
        modules().iter().filter(|path| !compiled.contains(*path)).map(|path| short(path)).collect();
    none(&stray, "a Rust file that no target and no `mod` names");
}

/// Reads the files as the program does; the problems found.
fn problems(paths: &[&Path]) -> Vec<String> {
    let sources: Vec<SourceFile> =
        paths.iter().map(|path| SourceFile { name: short(path), text: read(path) }).collect();
    match numasim_ask::reading::read_study(&sources) {
        Ok(_) => Vec::new(),
        Err(problems) => {
            problems.iter().map(|problem| format!("{}: {}", short(paths[0]), problem.message)).collect()
        }
    }
}

#[test]
fn every_input_file_is_valid() {
    let machines = with_extension("configs/machines", "toml");
    let workloads = with_extension("configs/workloads", "toml");
    // Those of tasks have separate machine files in a folder.
    let complete = ["configs/paper", "configs/kernels", "configs/scale", "configs/dynamic", "configs/tasks"];
    let complete = complete.map(|folder| with_extension(folder, "toml")).concat();
    let discriminate = with_extension("configs/discriminate", "toml");
    let applications = with_extension("configs/applications", "toml");
    let known = machines.len() + workloads.len() + complete.len() + discriminate.len() + applications.len();
    assert_eq!(with_extension("configs", "toml").len(), known, "a folder of configs/ is not checked");
    let alone = machines.iter().chain(&complete).flat_map(|path| problems(&[path]));
    let together = workloads.iter().flat_map(|path| problems(&[path, &machines[0]]));
    let with_machine = discriminate.iter().flat_map(|path| {
        let machine = root().join("configs/machines").join(path.file_name().expect("a name"));
        problems(&[path, &machine])
    });
    let server = root().join("configs/machines/xeon-8269cy-2s.toml");
    let on_server = applications.iter().flat_map(|path| problems(&[path, &server]));
    let all = alone.chain(together).chain(with_machine).chain(on_server);
    none(&all.collect::<Vec<_>>(), "every file of configs/ can be read");
    let list = read("configs/README.md");
    let unlisted = with_extension("configs", "toml").into_iter().filter(|path| {
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        !list.contains(&format!("`{name}`"))
    });
    none(&unlisted.map(|path| short(&path)).collect::<Vec<_>>(), "configs/README.md lists every file");
}

#[test]
fn every_result_records_how_it_was_made() {
    let Ok(results) = fs::read_dir(root().join("results")) else { return };
    let folders = results.map(|entry| entry.expect("readable").path()).filter(|path| path.is_dir());
    let wrong: Vec<String> =
        folders.filter(|path| !path.join("README.md").is_file()).map(|path| short(&path)).collect();
    none(&wrong, "every folder of results/ has a README.md");
}

#[test]
fn no_file_contains_a_path_of_a_personal_machine() {
    let here = root();
    let mut places = vec!["/home/".to_owned(), "/Users/".to_owned(), "C:\\Users\\".to_owned()];
    // A root such as /src would match every path.
    if here.components().count() > 2 {
        places.push(format!("{}/", here.display()));
    }
    let this = here.join("tests/tidy.rs");
    let mut wrong = Vec::new();
    for path in files(&here).into_iter().filter(|path| *path != this) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        wrong.extend(
            places
                .iter()
                .filter(|place| text.contains(*place))
                .map(|place| format!("{}: {place}", short(&path))),
        );
    }
    none(&wrong, "paths are relative to the repository");
}

#[test]
fn documents_name_existing_files() {
    let mut wrong = Vec::new();
    for document in files(&root()).into_iter().filter(|path| path.extension().is_some_and(|e| e == "md")) {
        let text = read(&document);
        let folder = document.parent().expect("a folder");
        let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        let links = links.filter(|link| !link.is_empty() && !link.contains("://"));
        wrong.extend(
            links
                .filter(|link| !folder.join(link).exists())
                .map(|link| format!("{}: {link}", short(&document))),
        );
        let words = text.split(|c: char| {
            c.is_whitespace() || matches!(c, '`' | '(' | ')' | ',' | ';' | ':' | '\'' | '"')
        });
        let named = words.filter(|word| {
            ["configs/", "crates/", "tests/", ".ci/"].iter().any(|start| word.starts_with(start))
                && !word.contains(['*', '<', '{'])
                && !word.contains("MACHINE")
                && !word.contains("WORKLOAD")
        });
        let named = named.map(|word| word.trim_end_matches('.'));
        wrong.extend(
            named
                .filter(|path| !root().join(path).exists())
                .map(|path| format!("{}: {path}", short(&document))),
        );
    }
    none(&wrong, "a document names a file that does not exist");
}

/// Folder of each crate below crates/: the crates of a family are in the folder of the family.
fn crates() -> Vec<String> {
    let folder = root().join("crates");
    let is_manifest = |path: &PathBuf| path.file_name().is_some_and(|name| name == "Cargo.toml");
    let manifests = files(&folder).into_iter().filter(is_manifest);
    let below = manifests.map(|path| {
        let of_crate = path.parent().expect("a folder").strip_prefix(&folder).expect("below crates/");
        of_crate.display().to_string()
    });
    let found: Vec<String> = below.collect();
    assert!(found.len() > 10, "the crates are elsewhere: {found:?}");
    found
}

/// Folder of a crate, by its name.
fn folder_of(name: &str) -> PathBuf {
    let all = crates();
    let below = all.iter().find(|below| below.rsplit('/').next() == Some(name));
    root().join("crates").join(below.unwrap_or_else(|| panic!("a crate {name}")))
}

#[test]
fn the_map_names_every_crate() {
    let map = read("ARCHITECTURE.md");
    let mut unknown = crates();
    unknown.retain(|below| !map.contains(&format!("`crates/{below}`")));
    none(&unknown, "a crate that ARCHITECTURE.md does not name");
}

/// The source of a crate without code that is compiled only for tests: file, text.
fn sources(name: &str) -> Vec<(PathBuf, String)> {
    let all = with_extension(&short(&folder_of(name).join("src")), "rs").into_iter();
    let program = all
        .filter(|path| !path.ends_with("tests.rs") && !path.ends_with("testing.rs"))
        .filter(|path| !path.ends_with("properties.rs"))
        .filter(|path| !path.components().any(|part| part.as_os_str() == "tests"))
        .map(|path| {
            let text = read(&path);
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let code = code.collect::<Vec<_>>().join("\n");
            (path, code)
        });
    program.collect()
}

/// Places in the code of a crate that contain one of `words`, except in the files `but`.
fn uses(name: &str, words: &[&str], but: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, code) in sources(name) {
        if but.iter().any(|file| path.ends_with(file)) {
            continue;
        }
        found.extend(
            words.iter().filter(|word| code.contains(*word)).map(|word| format!("{}: {word}", short(&path))),
        );
    }
    found
}

#[test]
fn computing_crates_are_pure() {
    let outside = ["std::fs", "std::env", "std::net", "std::process", "std::time", "std::io", "println!"];
    for name in ["model", "engine", "course", "graph", "tasks", "plan", "sim", "policy", "dynamic"] {
        none(&uses(name, &outside, &[]), "no files, environment, clock or printing");
        none(&uses(name, &["static mut", "thread_local!", "OnceLock", "LazyLock"], &[]), "no globals");
        none(
            &uses(name, &[".unwrap()", ".expect(", "panic!(", "todo!(", "unimplemented!("], &[]),
            "no panics",
        );
    }
    none(&uses("protocol", &outside, &[]), "text in, messages out");
    none(&uses("kernels", &outside, &[]), "slices in, slices out");
    none(&uses("kernels", &["std::thread", "rayon", "rand::"], &[]), "no threads, no randomness");
    for name in ["model", "engine", "policy", "protocol"] {
        none(&uses(name, &["std::thread", "rayon", "rand::"], &[]), "no threads, no randomness");
    }
    let mut core =
        uses("agent", &outside.map(|word| if word == "std::time" { "Instant" } else { word }), &[]);
    core.retain(|place| place.starts_with("crates/live/agent/src/core/"));
    none(&core, "events with their time in, effects out");
    none(
        &uses("sim", &["SeedableRng", "seed_from_u64"], &["search/local/random.rs"]),
        "one maker of generators",
    );
}

#[test]
fn logarithms_and_powers_have_the_same_last_digit_everywhere() {
    let of_the_platform = [
        ".ln(", ".exp(", ".powf(", ".log2(", ".log10(", ".exp2(", ".ln_1p(", ".exp_m1(", ".hypot(", ".cbrt(",
    ];
    for name in ["model", "sim"] {
        none(&uses(name, &of_the_platform, &["random.rs"]), "libm, not the library of the platform");
    }
}

#[test]
fn evidence_does_not_use_the_operating_system() {
    let outside =
        ["std::fs", "std::env", "std::process", "std::time", "std::thread", "libc", "cfg(target_os"];
    none(&uses("evidence", &outside, &[]), "text and values in, values out");
}

#[test]
fn no_modules_import_each_other_in_a_cycle() {
    let mut found = Vec::new();
    for below in crates() {
        let name = below.rsplit('/').next().unwrap_or_default();
        let folder = folder_of(name).join("src");
        let below = |path: &Path| path.strip_prefix(&folder).expect("of this crate").display().to_string();
        let files: Vec<_> = sources(name).into_iter().map(|(path, code)| (below(&path), code)).collect();
        found.extend(circles::circles(&files).into_iter().map(|circle| format!("{name}, {circle}")));
    }
    none(&found, "modules that import each other in a circle");
}

#[test]
fn one_folder_names_hwlocality() {
    for below in crates() {
        let mut found = uses(below.rsplit('/').next().unwrap_or_default(), &["hwlocality"], &[]);
        found.retain(|place| !place.starts_with("crates/measure/host/src/hwloc/"));
        none(&found, "only host/src/hwloc/");
    }
}

#[test]
fn arrows_between_the_crates_are_those_of_the_map() {
    let allowed = [
        ("model", &["study"][..]), // in tests: files of kernels
        ("study", &["model"]),
        ("course", &["model", "study"]),
        ("sim", &["course", "model", "study"]), // course: in tests
        ("engine", &[]),
        ("policy", &["course", "model", "sim"]),
        ("dynamic", &["course", "engine", "model", "policy"]),
        ("graph", &["model", "study"]),
        ("plan", &["graph", "model"]),
        ("tasks", &["engine", "graph", "model", "plan"]),
        ("protocol", &["model"]),
        ("client", &["agent", "host", "protocol"]),
        ("runtime", &["client", "host", "model", "protocol"]),
        ("preload", &["client", "host", "model", "protocol"]),
        ("agent", &["course", "host", "model", "policy", "protocol", "study"]),
        ("host", &["evidence", "model", "study"]),
        ("kernels", &["graph", "model"]),
        ("bench", &["evidence", "graph", "host", "kernels", "model", "runtime", "study", "tasks"]),
        ("evidence", &["course", "model", "study"]), // course: in tests
        ("draw", &[]),
        (
            "ask",
            &[
                "course", "draw", "dynamic", "evidence", "graph", "model", "plan", "policy", "sim", "study",
                "tasks",
            ],
        ),
    ];
    let mut named: Vec<&str> = allowed.iter().map(|(name, _)| *name).chain(["cli"]).collect();
    let all = crates();
    let mut there: Vec<&str> = all.iter().filter_map(|below| below.rsplit('/').next()).collect();
    named.sort_unstable();
    there.sort_unstable();
    assert_eq!(named, there, "every crate has its arrows; cli may know all");
    let folders = allowed.map(|(name, may)| (short(&folder_of(name)), may));
    let asks = &[
        "ask", "course", "draw", "dynamic", "graph", "host", "model", "plan", "policy", "sim", "study",
        "tasks",
    ][..];
    let bindings = [("python", asks), ("web", &["ask", "course", "draw", "model", "sim", "study"])];
    let bindings = bindings.map(|(name, may)| (format!("bindings/{name}"), may));
    for (name, may) in folders.into_iter().chain(bindings) {
        let manifest: toml::Table = read(format!("{name}/Cargo.toml")).parse().expect("TOML");
        let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
        let tables = tables.iter().filter_map(|table| manifest.get(*table)?.as_table());
        let ours = tables.flat_map(|table| table.keys()).filter_map(|key| key.strip_prefix("numasim-"));
        let wrong: Vec<String> = ours
            .filter(|other| !may.contains(other) && !name.ends_with(&format!("/{other}"))) // itself, with a feature for tests
            .map(|other| format!("{name} -> {other}"))
            .collect();
        none(&wrong, "a crate depends on one that it must not know");
    }
}
