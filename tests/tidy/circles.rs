//! Finds modules that import each other in a cycle, from the text of a crate.
//!
//! Two modules of the same parent form an arrow if a file below one names an item that is defined below the other;
//! re-exports are followed to the definition. A module and its children are one unit and form no arrow.

use std::collections::{BTreeMap, BTreeSet};

/// A module: the names from the root of the crate to it.
type Module = Vec<String>;

/// A source file: its path below `src/`, and its text without comments and tests.
pub(crate) type Source = (String, String);

/// Each cycle as `parent: a -> b -> a`, with a file and a name for each arrow.
pub(crate) fn circles(sources: &[Source]) -> Vec<String> {
    let tree = Tree::new(sources);
    // (parent, from) -> to -> an example
    let mut arrows: BTreeMap<(Module, String), BTreeMap<String, String>> = BTreeMap::new();
    for (module, text) in &tree.files {
        for path in paths(text) {
            let Some(target) = tree.resolve(module, &path, 0) else { continue };
            let common = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (module.get(common), target.get(common)) {
                let example = format!("{} names {}", module.join("/"), path.join("::"));
                let parent = module[..common].to_vec();
                arrows.entry((parent, from.clone())).or_default().entry(to.clone()).or_insert(example);
            }
        }
    }
    let mut found = BTreeSet::new();
    for (parent, start) in arrows.keys() {
        if let Some(circle) = shortest_circle(&arrows, parent, start) {
            found.insert(message(&arrows, parent, &circle));
        }
    }
    found.into_iter().collect()
}

type Arrows = BTreeMap<(Module, String), BTreeMap<String, String>>;

/// The shortest way from `start` back to it, if it has the smallest name on it: each cycle once.
fn shortest_circle(arrows: &Arrows, parent: &Module, start: &str) -> Option<Vec<String>> {
    let next = |name: &str| arrows.get(&(parent.clone(), name.to_owned()));
    let mut ways = vec![vec![start.to_owned()]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            let last = way.last().map(String::as_str).unwrap_or_default();
            for to in next(last).into_iter().flat_map(BTreeMap::keys) {
                if to == start {
                    return Some(way);
                }
                if to.as_str() > start && seen.insert(to.clone()) {
                    longer.push([way.clone(), vec![to.clone()]].concat());
                }
            }
        }
        ways = longer;
    }
    None
}

fn message(arrows: &Arrows, parent: &Module, circle: &[String]) -> String {
    let pairs = circle.iter().zip(circle.iter().cycle().skip(1));
    let examples: Vec<String> =
        pairs.map(|(from, to)| arrows[&(parent.clone(), from.clone())][to].clone()).collect();
    let place = if parent.is_empty() { "the crate".to_owned() } else { parent.join("/") };
    format!("{place}: {} -> {} ({})", circle.join(" -> "), circle[0], examples.join("; "))
}

/// The modules of a crate and the names that each brings into scope.
struct Tree {
    files: BTreeMap<Module, String>,
    /// Module and name -> the path it stands for, as written in that module.
    imports: BTreeMap<(Module, String), Vec<String>>,
}

impl Tree {
    fn new(sources: &[Source]) -> Self {
        let files: BTreeMap<Module, String> =
            sources.iter().map(|(path, text)| (module_of(path), text.clone())).collect();
        let mut imports = BTreeMap::new();
        for (module, text) in &files {
            for (path, name) in imports_of(text) {
                imports.insert((module.clone(), name), path);
            }
        }
        Self { files, imports }
    }

    /// The module that defines the item of `path`; `None` for other crates.
    fn resolve(&self, from: &Module, path: &[String], depth: usize) -> Option<Module> {
        let (mut at, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (from.clone(), &path[1..]),
            "super" => (from.get(..from.len().checked_sub(1)?)?.to_vec(), &path[1..]),
            first => {
                let child = [from.clone(), vec![first.to_owned()]].concat();
                (self.files.contains_key(&child).then_some(from.clone())?, path)
            }
        };
        while rest.first().is_some_and(|name| name == "super") {
            at.pop()?;
            rest = &rest[1..];
        }
        while let Some((name, behind)) = rest.split_first() {
            let child = [at.clone(), vec![name.clone()]].concat();
            if self.files.contains_key(&child) {
                at = child;
            } else if let Some(meant) = self.imports.get(&(at.clone(), name.clone()))
                && depth < 8
            {
                return self.resolve(&at, &[meant.clone(), behind.to_vec()].concat(), depth + 1);
            } else {
                break; // an item of this module
            }
            rest = behind;
        }
        Some(at)
    }
}

/// `a/b.rs` and `a/b/mod.rs` are the module a::b; `lib.rs` and `main.rs` are the root.
fn module_of(path: &str) -> Module {
    let names = path.trim_end_matches(".rs").split('/').map(str::to_owned);
    let mut module: Module = names.collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

/// Every path that begins with `crate`, `self` or `super`, from imports and from the middle of code.
fn paths(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("::") {
        let before = &text[..at];
        let word = before.rsplit(|c: char| !is_name(c)).next().unwrap_or_default();
        let inside = before[..before.len() - word.len()].ends_with("::");
        if matches!(word, "crate" | "super" | "self") && !inside {
            found.extend(tree_of_paths(&text[at - word.len()..]));
        }
    }
    found
}

/// The names that `use` statements bring into scope: path and name.
fn imports_of(text: &str) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    for line_start in text.match_indices("use ").map(|(at, _)| at) {
        let line = text[..line_start].rsplit('\n').next().unwrap_or_default().trim();
        if line.is_empty() || line == "pub" || (line.starts_with("pub(") && line.ends_with(')')) {
            for mut path in tree_of_paths(&text[line_start + 4..]) {
                let Some(mut name) = path.last().cloned() else { continue };
                if let Some((real, renamed)) = name.clone().split_once(" as ") {
                    path.pop();
                    path.push(real.to_owned());
                    renamed.clone_into(&mut name);
                }
                if name == "self" {
                    path.pop();
                    name = path.last().cloned().unwrap_or_default();
                }
                found.push((path, name));
            }
        }
    }
    found
}

/// `a::{b, c::d}` at the start of `text` as its paths; `x as y` stays together.
fn tree_of_paths(text: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut rest = text;
    let mut ended = false;
    loop {
        rest = rest.trim_start();
        let word = &rest[..rest.find(|c: char| !is_name(c)).unwrap_or(rest.len())];
        if !word.is_empty() && !ended {
            path.push(word.to_owned());
            rest = &rest[word.len()..];
            if let Some(name) = rest.strip_prefix(" as ") {
                let name = &name[..name.find(|c: char| !is_name(c)).unwrap_or(name.len())];
                let last = path.last_mut().map(|last| last.extend([" as ", name]));
                rest = &rest[" as ".len() + name.len()..];
                debug_assert!(last.is_some());
            }
        }
        if let Some(behind) = rest.strip_prefix("::{") {
            open.push(path.len());
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("::<").or_else(|| rest.strip_prefix("::*")) {
            ended = true;
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("::") {
            rest = behind;
        } else {
            if path.len() > open.last().copied().unwrap_or(0) {
                paths.push(path.clone());
            }
            ended = false;
            let Some(&length) = open.last() else { return paths };
            path.truncate(length);
            if let Some(behind) = rest.strip_prefix(',') {
                rest = behind;
            } else if let Some(behind) = rest.strip_prefix('}') {
                open.pop();
                rest = behind;
                path.truncate(open.last().copied().unwrap_or(0));
                ended = true;
                if open.is_empty() {
                    return paths;
                }
            } else {
                return paths;
            }
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn crate_of(files: &[(&str, &str)]) -> Vec<Source> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn two_modules_that_import_each_other_are_a_cycle() {
    let found = circles(&crate_of(&[
        ("lib.rs", "mod a;\nmod b;\n"),
        ("a.rs", "use crate::b::B;\n"),
        ("b/mod.rs", "mod inner;\n"),
        ("b/inner.rs", "use crate::{x, a::{self, A}};\n"),
    ]));
    assert_eq!(found, ["the crate: a -> b -> a (a names crate::b::B; b/inner names crate::a::self)"]);
}

#[test]
fn re_exports_are_followed_to_the_definition() {
    let files = [
        ("lib.rs", "mod a;\nmod b;\npub use b::B;\npub use a::{A as Other};\n"),
        ("a.rs", "use crate::B;\n"),
        ("b.rs", "fn f() { crate::Other::new() }\n"),
    ];
    assert_eq!(circles(&crate_of(&files)).len(), 1);
    assert!(circles(&crate_of(&files[..2])).is_empty(), "b imports nothing now");
}

#[test]
fn cycles_of_three_below_a_folder_are_found_once() {
    let found = circles(&crate_of(&[
        ("m/mod.rs", "mod a;\nmod b;\nmod c;\n"),
        ("m/a.rs", "use super::b::B;"),
        ("m/b.rs", "fn f() -> super::c::C {}"),
        ("m/c/mod.rs", ""),
        ("m/c/deep.rs", "use super::super::a;"),
    ]));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("m: a -> b -> c -> a ("), "{found:?}");
}

#[test]
fn a_module_and_its_children_or_one_way_imports_are_no_cycle() {
    let found = circles(&crate_of(&[
        ("lib.rs", "mod a;\nmod b;\nuse a::x;\n"),
        ("a.rs", "mod part;\nuse part::P;\nuse crate::b::B;\n"),
        ("a/part.rs", "use super::A;\nuse crate::a::C;\n"),
        ("b.rs", "use std::a::b;\nuse other::{a, b};\n"),
    ]));
    assert_eq!(found, Vec::<String>::new());
}
