//! The applications of a new study: a number, or an application of a workload of the catalogue.

use numasim_model::app::{App, Data, Placement};
use numasim_model::words::choice;
use numasim_study::SourceFile;
use numasim_study::keys::{Key, app as keys};
use numasim_study::writing::study::{home, placement};
use numasim_study::writing::{Lines, quoted};

use crate::args::{AppTemplate, Like};
use crate::catalog::{self, Entry};
use crate::failure::Failure;
use crate::suggest;

/// An application as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Described {
    /// Its name.
    pub(super) name: String,
    /// FLOP per byte.
    intensity: f64,
    /// Where its data lies, as in a file, and what to know of it; `None`: local.
    data: Option<(String, String)>,
    /// The template and the workload where it stands.
    like: Option<(String, String)>,
}

impl Described {
    /// Looks a template up.
    ///
    /// # Errors
    /// There is no template of that name.
    pub(super) fn of(app: &AppTemplate) -> Result<Self, Failure> {
        match &app.like {
            Like::Intensity(intensity) => {
                Ok(Self { name: app.name.clone(), intensity: *intensity, data: None, like: None })
            }
            Like::Template(template) => {
                let (entry, found) = template_named(template)?;
                Ok(Self {
                    name: app.name.clone(),
                    intensity: found.arithmetic_intensity.value(),
                    data: data(&found.data, &app.name == template, template, &entry.shortest()),
                    like: Some((template.clone(), entry.shortest())),
                })
            }
        }
    }

    /// The `[[app]]` table; with `examples` of keys that it may have.
    pub(super) fn toml(&self, examples: bool) -> String {
        let from = match &self.like {
            Some((template, file)) => format!("as {template} of {file}, which says why"),
            None => "measure it: likwid-perfctr -g MEM_DP, or numasim profile-app".to_owned(),
        };
        let mut lines = Lines::default();
        lines.first_table(&keys::TABLE);
        lines.put(&keys::NAME, quoted(&self.name));
        let known = format!("{}  # FLOP per byte moved to or from memory; {from}", self.intensity);
        lines.put(&keys::ARITHMETIC_INTENSITY, known);
        match &self.data {
            Some((data, remark)) => lines.put(&keys::DATA, format!("{data}{remark}")),
            None if examples => example(
                &mut lines,
                &keys::DATA,
                &home("\"any\"", 1.0),
                "   # all data on one node, which explore chooses; default: each thread's on its own node",
            ),
            None => {}
        }
        if examples {
            example(&mut lines, &keys::MIN_THREADS, "4", "           # over the whole machine; default 1");
            example(&mut lines, &keys::MAX_THREADS, "16", "          # default: no limit");
            example(&mut lines, &keys::INSTANCES, "2", "             # equal applications, numbered -1, -2");
            example(
                &mut lines,
                &keys::WORK_GFLOP,
                "1000.0",
                "       # how much there is to do, for --objective makespan",
            );
        }
        lines.text()
    }
}

/// A key that an application may have.
fn example(lines: &mut Lines, key: &Key, value: &str, what: &str) {
    lines.comment(format_args!("{} = {value}{what}", key.name));
}

/// Where data lies, as a file says it, and what to know of it; `None` for what files need not say.
///
/// That all of it is on one node holds for the application of the template (`is_it`): how one that is only as intensive puts its data
/// somewhere, the template does not know. Pages in turn on every node are then the usual advice.
fn data(data: &Data, is_it: bool, template: &str, file: &str) -> Option<(String, String)> {
    let has_home = data.is_open() || data.placement().and_then(Placement::home).is_some();
    let own = match data {
        Data::Placed(Placement::Local) => return None,
        Data::Placed(placed) => placement(placed),
        Data::OpenHome { share } => home("\"any\"", *share),
    };
    Some(match (has_home, is_it) {
        (false, _) => (own, String::new()),
        (true, true) => {
            (own, format!("  # on one node, as {template} of {file} has it; spread: data = \"interleave\""))
        }
        (true, false) => (
            "\"interleave\"".to_owned(),
            format!("  # assumed; on one node, as {template} of {file} has it: data = {own}"),
        ),
    })
}

/// The names of all templates, each once.
pub(super) fn template_names() -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for entry in catalog::of_folder("workloads") {
        for app in apps_of(entry)? {
            if !names.contains(&app.group) {
                names.push(app.group);
            }
        }
    }
    Ok(names)
}

fn template_named(name: &str) -> Result<(Entry, App), Failure> {
    for entry in catalog::of_folder("workloads") {
        if let Some(app) = apps_of(entry)?.into_iter().find(|app| app.group == name) {
            return Ok((entry, app));
        }
    }
    let names = template_names()?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let close = suggest::nearest(name, &names).map(|close| format!("did you mean '{close}'? "));
    let hint = format!(
        "{}write an intensity in FLOP per byte, such as 0.2, or one of {}",
        close.unwrap_or_default(),
        choice(names)
    );
    Err(Failure::input(format!("'{name}' is no number and no application of the catalogue's workloads"))
        .hint(hint))
}

/// The applications of a workload, which any machine makes a study.
fn apps_of(entry: Entry) -> Result<Vec<App>, Failure> {
    let machine =
        "[machine]\nname = \"any\"\nnodes = 1\ncores_per_node = 64\ngflops_per_core = 1\nbandwidth_gbs = 1\n";
    let sources = [
        SourceFile { name: entry.shortest(), text: entry.text.to_owned() },
        SourceFile { name: "any machine".to_owned(), text: machine.to_owned() },
    ];
    // Tests read every template: the program is wrong, not the person.
    numasim_graph::read_study(&sources).map(|reading| reading.study.apps).map_err(|problems| {
        let first = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
        Failure::fault(format!("{} of the catalogue cannot be read", entry.shortest())).because(first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> Result<Described, Failure> {
        Described::of(&AppTemplate::parse(text).expect("well written"))
    }

    #[test]
    fn a_template_brings_intensity_and_data_and_says_from_where() {
        let spmv = described("solver=spmv").expect("there is one").toml(false);
        assert!(spmv.contains("name = \"solver\"\narithmetic_intensity = 0.153  #"), "{spmv}");
        assert!(spmv.contains("as spmv of @hpc-node"), "{spmv}");
        let scan = described("scan").expect("there is one").toml(true);
        assert!(
            scan.contains("data = { home = \"any\" }  # on one node, as scan of @data-center has it"),
            "{scan}"
        );
    }

    #[test]
    fn every_template_is_an_application() {
        let names = template_names().expect("readable");
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            assert!(described(&name).is_ok(), "{name}");
        }
    }

    #[test]
    fn an_unknown_template_gets_a_suggestion() {
        let failure = described("solver=spnv").expect_err("there is none").to_string();
        assert!(failure.contains("did you mean 'spmv'?"), "{failure}");
    }
}
