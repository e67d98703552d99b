//! `numasim init`: a first study, with comments and the commands for the next steps.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use asking::Asking;
use numasim_ask::reading::read_study;
use numasim_host::looking::round_figures;
use numasim_model::app::{App, Data, OpenData, Placement};
use numasim_model::words::choice;
use numasim_study::SourceFile;
use numasim_study::keys::{Key, app as keys, rate};
use numasim_study::machine_file::{Placeholders, with_placeholders};
use numasim_study::topology::HostTopology;
use numasim_study::writing::study::{home, placement};
use numasim_study::writing::{Lines, inline, quoted};

use crate::args::{AppTemplate, InitArgs, Like};
use crate::catalog::{self, Entry};
use crate::emit;
use crate::failure::Failure;
use crate::output::Destination;
use crate::shell::Shell;
use crate::{files, suggest};

mod asking;

/// The file in a folder.
const FILE: &str = "study.toml";
/// Applications of a study if none were named and the user was not asked: one that needs memory bandwidth, and one that does not.
const EXAMPLES: [&str; 2] = ["triad", "dgemm"];

/// Runs the command.
pub(crate) fn run(args: &InitArgs, shell: &Shell) -> Result<(), Failure> {
    let target = target(args);
    refuse_to_replace(&target, args.force)?;
    let asked = !args.from_host && args.machine.is_none();
    let (machine, apps) = if asked { ask(args)? } else { (chosen(args)?, args.app.clone()) };
    let machine = machine.read()?;
    let examples = !asked && apps.is_empty() && !machine.has_apps;
    let apps = if examples {
        EXAMPLES.iter().filter_map(|name| AppTemplate::parse(name).ok()).collect()
    } else {
        apps
    };
    let apps = apps.iter().map(Described::of).collect::<Result<Vec<_>, _>>()?;
    let name = target.display().to_string();
    let study = Study { machine: &machine, apps: &apps, examples, name: &name };
    let text = study.text()?;
    if let Some(missing) = &machine.assumed {
        shell.warn(missing);
    }
    let destination = open(&target, args)?;
    destination.deliver(&text)?;
    if matches!(destination, Destination::Stdout) {
        Ok(())
    } else {
        Destination::Stdout.deliver(&study.next())
    }
}

/// The path of the study.
fn target(args: &InitArgs) -> PathBuf {
    match (&args.output, &args.folder) {
        (Some(file), _) => file.clone(),
        (None, Some(folder)) => folder.join(FILE),
        (None, None) => PathBuf::from(FILE),
    }
}

fn refuse_to_replace(target: &Path, force: bool) -> Result<(), Failure> {
    // Files that are not regular (a pipe, a device) are not replaced, and `open` reports folders and links.
    let is_there = fs::symlink_metadata(target).is_ok_and(|found| found.is_file());
    if is_there && !force && target != Path::new("-") {
        return Err(Failure::input(format!("{} is there already", target.display()))
            .hint("--force replaces it; -o FILE gives the study another name"));
    }
    Ok(())
}

/// The destination of the study; its folder is created if it is missing.
fn open(target: &Path, args: &InitArgs) -> Result<Destination, Failure> {
    refuse_to_replace(target, args.force)?;
    if let (None, Some(folder)) = (&args.output, &args.folder) {
        fs::create_dir_all(folder).map_err(|error| {
            Failure::output(format!("the directory {} cannot be made", folder.display())).caused_by(&error)
        })?;
    }
    Destination::open(Some(target))
}

/// The machine on the command line.
fn chosen(args: &InitArgs) -> Result<Chosen, Failure> {
    match &args.machine {
        Some(path) => Chosen::of_path(path),
        None => Ok(Chosen::of_host(&topology()?, &Figures::default())),
    }
}

/// Asks for the values that are missing on the command line.
fn ask(args: &InitArgs) -> Result<(Chosen, Vec<AppTemplate>), Failure> {
    let mut asking = Asking::new(io::stdin().lock(), anstream::stderr());
    let machine = asking.machine()?;
    let apps = if args.app.is_empty() { asking.apps()? } else { args.app.clone() };
    Ok((machine, apps))
}

// The applications of a new study: a number, or an application of a workload of the catalogue.

/// An application as written to the file.
#[derive(Clone, Debug, PartialEq)]
struct Described {
    /// Its name.
    name: String,
    /// FLOP per byte.
    intensity: f64,
    /// Its data placement, as in a file, and an explanation; `None`: local.
    data: Option<(String, String)>,
    /// The template and its workload.
    like: Option<(String, String)>,
}

impl Described {
    /// Looks up a template.
    ///
    /// # Errors
    /// There is no template with that name.
    fn of(app: &AppTemplate) -> Result<Self, Failure> {
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

    /// The `[[app]]` table; with `examples` of optional keys.
    fn toml(&self, examples: bool) -> String {
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
            example(
                &mut lines,
                &keys::THREAD_GBS,
                "3.0",
                "          # what one thread draws alone; default: all that it can digest",
            );
            example(
                &mut lines,
                &keys::THREAD_GFLOPS,
                "0.5",
                "       # what one computes where memory is no limit; default: all that a core can",
            );
            example(
                &mut lines,
                &keys::WRITE_SHARE,
                "0.3",
                "         # the part of its bytes that are written; default 0",
            );
            example(
                &mut lines,
                &keys::NODE_OVERHEAD,
                "0.12",
                "      # what each doubling of its NUMA nodes costs (numasim profile-app fits it); default 0",
            );
            let rate = inline([(&rate::UNIT, quoted("queries/s")), (&rate::PER_GB, "125.0".to_owned())]);
            let what = "  # instead of FLOP, with thread_gbs and without arithmetic_intensity";
            example(&mut lines, &keys::RATE, &rate, what);
        }
        lines.text()
    }
}

/// An optional key of an application.
fn example(lines: &mut Lines, key: &Key, value: &str, what: &str) {
    lines.comment(format_args!("{} = {value}{what}", key.name));
}

/// Data placement, as in a file, and an explanation; `None` if it is the default.
///
/// Data on a single node is specific to the application of the template (`is_it`). The template does not show how another application of
/// the same intensity places its data. For that application the usual advice applies: pages in turn on every node.
fn data(data: &Data, is_it: bool, template: &str, file: &str) -> Option<(String, String)> {
    let has_home =
        data.open() == Some(OpenData::Home) || data.placement().and_then(Placement::home).is_some();
    let own = match data {
        Data::Placed(Placement::Local) => return None,
        Data::Placed(placed) => placement(placed),
        Data::OpenHome { share } => home("\"any\"", *share),
        Data::OpenFractions => "{ fractions = \"any\" }".to_owned(),
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
fn template_names() -> Result<Vec<String>, Failure> {
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

/// The applications of a workload, which form a study together with any machine.
fn apps_of(entry: Entry) -> Result<Vec<App>, Failure> {
    let machine =
        "[machine]\nname = \"any\"\nnodes = 1\ncores_per_node = 64\ngflops_per_core = 1\nbandwidth_gbs = 1\n";
    let sources = [
        SourceFile { name: entry.shortest(), text: entry.text.to_owned() },
        SourceFile { name: "any machine".to_owned(), text: machine.to_owned() },
    ];
    // Tests read every template, so this is a fault of the program, not of the user.
    numasim_ask::reading::read_study(&sources).map(|reading| reading.study.at_rest.apps).map_err(|problems| {
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

// The machine of a new study: from the catalogue, a file, or this host.

/// Unmeasured values of a host: given by the user, or round numbers that are obviously not measured.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Figures {
    /// For a core, in GFLOPS.
    gflops_per_core: f64,
    /// For the memory of a node, in GB/s.
    bandwidth_gbs: f64,
    /// For a link between two nodes, in GB/s.
    link_gbs: f64,
}

impl Default for Figures {
    fn default() -> Self {
        let Placeholders { gflops_per_core, bandwidth_gbs, link_gbs, .. } = round_figures("");
        Self { gflops_per_core, bandwidth_gbs, link_gbs }
    }
}

impl Figures {
    const fn placeholders(&self, source: &'static str) -> Placeholders {
        Placeholders {
            gflops_per_core: self.gflops_per_core,
            bandwidth_gbs: self.bandwidth_gbs,
            link_gbs: self.link_gbs,
            source,
        }
    }
}

/// A machine that was chosen, as text.
struct Chosen {
    source: SourceFile,
    assumed: Option<String>,
}

/// A machine whose text has been read.
struct Read {
    /// The text, without the line for editors.
    text: String,
    /// Its assumed values, for a warning.
    assumed: Option<String>,
    /// The file also contains applications.
    has_apps: bool,
    /// The file also contains scenarios.
    has_scenarios: bool,
}

impl Chosen {
    /// A file, or one from the catalogue.
    fn of_path(path: &Path) -> Result<Self, Failure> {
        let mut sources = files::read_texts(&[path.to_owned()])?;
        let source = sources.pop().ok_or_else(|| Failure::fault("a file was read and is not there"))?;
        Ok(Self { source, assumed: None })
    }

    /// This host, with these values if it does not report them.
    fn of_host(host: &HostTopology, figures: &Figures) -> Self {
        let placeholders = figures.placeholders("written by numasim init; measure it with numasim calibrate");
        let links = if host.nodes.len() > 1 { ", and between nodes" } else { "" };
        let assumed = format!(
            "GFLOPS of a core and GB/s of memories{links} are assumed, not those of this host: measure them (`numasim calibrate \
             -o machine.toml` does), or look them up; the study says how"
        );
        let text = with_placeholders(host, &placeholders);
        Self { source: SourceFile { name: "this host".to_owned(), text }, assumed: Some(assumed) }
    }

    /// Reads the text as the program does.
    ///
    /// # Errors
    /// All mistakes in it, each with its location.
    fn read(self) -> Result<Read, Failure> {
        let Self { source, assumed } = self;
        let study = match read_study(std::slice::from_ref(&source)) {
            Ok(reading) => reading.study,
            Err(problems) => return Err(files::refused(&problems, source)),
        };
        let lines = source.text.lines().skip_while(|line| line.starts_with("#:"));
        let text = lines.flat_map(|line| [line, "\n"]).collect();
        let (has_apps, has_scenarios) = (!study.apps.is_empty(), !study.scenarios.is_empty());
        Ok(Read { text, assumed, has_apps, has_scenarios })
    }
}

/// The topology of this host: from hwloc if this program includes it, else from `/sys`.
fn topology() -> Result<HostTopology, Failure> {
    #[cfg(feature = "hwloc")]
    {
        numasim_host::host_topology("init --from-host")
            .map_err(|error| Failure::input("this host cannot be read").caused_by(&error))
    }
    #[cfg(all(not(feature = "hwloc"), target_os = "linux"))]
    {
        let allowed = numasim_host::affinity::allowed().map_err(|error| {
            Failure::input("this host does not say which cores may be used").caused_by(&error)
        })?;
        Ok(numasim_host::system::System::host().topology(&allowed))
    }
    #[cfg(all(not(feature = "hwloc"), not(target_os = "linux")))]
    {
        numasim_host::host_topology("init --from-host").map_err(|error| {
            Failure::input(error.to_string()).hint("name a machine: --machine @NAME or FILE")
        })
    }
}

#[cfg(test)]
mod machine_tests {
    use super::*;

    fn host(cores: &[u32]) -> Read {
        let chosen = Chosen::of_host(&HostTopology::from_cores("box", cores), &Figures::default());
        chosen.read().unwrap_or_else(|failure| panic!("{failure}"))
    }

    #[test]
    fn a_host_of_any_shape_is_a_machine_that_can_be_read() {
        for cores in [&[2][..], &[8, 8], &[8, 4], &[8, 8, 0]] {
            let read = host(cores);
            assert!(read.text.contains("kind = \"assumed\""), "{}", read.text);
            assert!(read.assumed.is_some() && !read.has_apps);
        }
    }

    #[test]
    fn a_host_with_one_node_has_no_word_on_links() {
        let read = host(&[2]);
        assert!(!read.text.contains("link_gbs = "), "{}", read.text);
        assert!(!read.assumed.unwrap_or_default().contains("between nodes"));
    }
}

// The text of a new study.

/// The parts of a study.
struct Study<'a> {
    /// The machine.
    machine: &'a Read,
    /// Applications that are added to those in the machine's file.
    apps: &'a [Described],
    /// These applications are examples for the user to replace.
    examples: bool,
    /// The name of the file on the command line.
    name: &'a str,
}

impl Study<'_> {
    /// The whole file, in a form that can be read back.
    ///
    /// # Errors
    /// Two applications have the same name; all other mistakes, each with its location.
    fn text(&self) -> Result<String, Failure> {
        let mut text = String::from("# A study, written by numasim init. Change what you like; then:\n");
        for (command, what) in self.commands() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "#   {command:<COLUMNS$}  {what}");
        }
        let _ = write!(text, "\n{}", self.machine.text);
        if self.examples {
            text.push_str("\n# Examples: replace them by your applications.\n");
        }
        for (place, app) in self.apps.iter().enumerate() {
            let _ = write!(text, "\n{}", app.toml(place == 0));
        }
        let source = |text: &str| SourceFile { name: self.name.to_owned(), text: text.to_owned() };
        let study = match read_study(&[source(&text)]) {
            Ok(reading) => reading.study,
            Err(problems) => return Err(files::refused(&problems, source(&text))),
        };
        if !study.apps.is_empty() && !self.machine.has_scenarios {
            let scenario = suggest::scenario(&study);
            let _ = write!(
                text,
                "\n# What you do today, thread by thread and node by node; explore compares the best with it.\n{scenario}"
            );
        }
        match read_study(&[source(&text)]) {
            Ok(_) => Ok(text),
            Err(problems) => Err(files::refused(&problems, source(&text))),
        }
    }

    /// The commands for the next steps.
    fn next(&self) -> String {
        let mut text = format!("Wrote {}. Next:\n", self.name);
        for (command, what) in self.commands() {
            let _ = writeln!(text, "  {command:<COLUMNS$}  {what}");
        }
        text
    }

    fn commands(&self) -> Vec<(String, &'static str)> {
        let name = if self.name == "-" { "study.toml".to_owned() } else { emit::typed(self.name) };
        let mut commands =
            vec![(format!("numasim check {name}"), "prints its content and the source of each value")];
        if !self.apps.is_empty() || self.machine.has_apps {
            commands.push((format!("numasim evaluate {name}"), "how fast the scenarios are"));
            commands.push((format!("numasim explore {name}"), "the best placement"));
        }
        if self.machine.assumed.is_some() {
            commands
                .push(("numasim calibrate -o machine.toml".to_owned(), "measure this host (needs hwloc)"));
        }
        commands
    }
}

/// Width of the column of commands.
const COLUMNS: usize = 34;
