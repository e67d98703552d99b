//! Measures how far proofs reach on typical questions, against the goals of the search.
//!
//! ```sh
//! cargo run --release -p numasim-sim --features examples --example goals -- shipped            # 8 machines x 4 workloads x 3 objectives, 5 s each
//! cargo run --release -p numasim-sim --features examples --example goals -- shipped --model all
//! cargo run --release -p numasim-sim --features examples --example goals -- random             # 60 random questions, 8 s each
//! cargo run --release -p numasim-sim --features examples --example goals -- new --model own    # 60 of machines as they are sold now, under their own models
//! cargo run --release -p numasim-sim --features examples --example goals -- domains            # 24 on 2 nodes x 12 L3 domains x 8 cores, 5 s each
//! cargo run --release -p numasim-sim --features examples --example goals -- random --write DIR # and their files, for `numasim explore`
//! ```
//!
//! Lines of CSV go to standard output, the summary to standard error. `--clock cpu` counts the CPU time of this process instead of
//! wall-clock time. With `RAYON_NUM_THREADS=1` a busy machine then does at most the work of an idle one. `--every N` selects each N-th
//! question. `--only TEXT` selects questions with this text in their name and objective. `--seconds S` and `--seed N` set the time limit
//! and the seed. `--repeat N` runs a question N times in all if its answer took more than a fifth of the time. The summary then uses the
//! run with the median gap for each question. Quicker answers are not repeated: one would have to take five times as long to change.

mod clock;
mod random;
mod summary;

use std::error::Error;
use std::path::PathBuf;

use clock::{Clock, Limit};
use numasim_model::{ModelKind, Study};
use numasim_sim::search::{Outcome, Settings, Status, explore_to_the_end};
use numasim_sim::{Objective, Problem, Restrictions};
use numasim_study::{SourceFile, read_study};
use random::Drawn;
use summary::Line;

const MACHINES: [&str; 8] = [
    "epyc-7501-2s",
    "epyc-9224-2s-nps2-cxl",
    "opteron-8n",
    "xeon-8269cy-2s-snc2",
    "xeon-8360y-2s",
    "xeon-e5-2680v4-4n",
    "xeon-gold-6138-4s",
    "xeon-gold-6140-2s",
];
const WORKLOADS: [&str; 4] = ["cfd-and-ml", "data-center", "genomics", "hpc-node"];
const OBJECTIVES: [Objective; 3] = [Objective::TotalGflops, Objective::Fair, Objective::Geomean];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A question by name.
struct Question {
    name: String,
    kind: &'static str,
    study: Study,
    objective: Objective,
    restrictions: Restrictions,
}

/// The set of questions to ask.
#[derive(Clone, Copy, PartialEq)]
enum Set {
    Shipped,
    Random,
    New,
    Domains,
}

struct Arguments {
    set: Set,
    /// `None`: the machine's own model.
    models: Vec<Option<ModelKind>>,
    seconds: Option<f64>,
    clock: Clock,
    every: usize,
    only: String,
    repeat: usize,
    seed: u64,
    write: Option<PathBuf>,
}

impl Arguments {
    fn read() -> Result<Self> {
        let mut words = std::env::args().skip(1);
        let set = match words.next().as_deref() {
            Some("shipped") => Set::Shipped,
            Some("random") => Set::Random,
            Some("new") => Set::New,
            Some("domains") => Set::Domains,
            _ => return Err("say which questions: `shipped`, `random`, `new` or `domains`".into()),
        };
        let default = vec![Some(ModelKind::BaselineProportional)];
        let mut read = Self {
            set,
            models: default,
            seconds: None,
            clock: Clock::Wall,
            every: 1,
            only: String::new(),
            repeat: 1,
            seed: 1,
            write: None,
        };
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--model" if value == "all" => read.models = ModelKind::ALL.map(Some).to_vec(),
                "--model" if value == "own" => read.models = vec![None],
                "--model" => {
                    let kind = ModelKind::from_word(&value).ok_or("a model of `numasim models`")?;
                    read.models = vec![Some(kind)];
                }
                "--seconds" => read.seconds = Some(value.parse()?),
                "--clock" if value == "cpu" => read.clock = Clock::Cpu,
                "--clock" if value == "wall" => read.clock = Clock::Wall,
                "--every" => read.every = value.parse::<usize>()?.max(1),
                "--only" => read.only = value,
                "--repeat" => read.repeat = value.parse::<usize>()?.max(1),
                "--seed" => read.seed = value.parse()?,
                "--write" => read.write = Some(value.into()),
                _ => return Err(format!("{word} {value} is not understood").into()),
            }
        }
        Ok(read)
    }
}

fn study(names: &[String]) -> Result<Study> {
    let file = |name: &String| -> Result<SourceFile> {
        Ok(SourceFile { name: name.clone(), text: std::fs::read_to_string(name)? })
    };
    studied(&names.iter().map(file).collect::<Result<Vec<_>>>()?)
}

fn studied(files: &[SourceFile]) -> Result<Study> {
    Ok(read_study(files).map_err(|problems| format!("{problems:?}"))?.study)
}

/// The shipped machine and workload files.
fn shipped() -> Result<Vec<Question>> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs");
    let mut questions = Vec::new();
    for machine in MACHINES {
        for workload in WORKLOADS {
            let files =
                [format!("{root}/machines/{machine}.toml"), format!("{root}/workloads/{workload}.toml")];
            for objective in OBJECTIVES {
                questions.push(Question {
                    name: format!("{machine} {workload}"),
                    kind: "shipped",
                    study: study(&files)?,
                    objective,
                    restrictions: Restrictions::default(),
                });
            }
        }
    }
    Ok(questions)
}

/// The random questions; their files are written to `folder`, if given.
fn drawn(all: Vec<Drawn>, folder: Option<&PathBuf>) -> Result<Vec<Question>> {
    let mut questions = Vec::new();
    for drawn in all {
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)?;
            std::fs::write(folder.join(format!("{}.toml", drawn.name)), &drawn.text)?;
        }
        let file = SourceFile { name: drawn.name.clone(), text: drawn.text };
        let restrictions =
            Restrictions { min_threads_per_node: drawn.min_threads_per_node, ..Restrictions::default() };
        let (kind, objective, study) = (drawn.kind, drawn.objective, studied(&[file])?);
        questions.push(Question { name: drawn.name, kind, study, objective, restrictions });
    }
    Ok(questions)
}

fn main() -> Result<()> {
    let arguments = Arguments::read()?;
    let folder = arguments.write.as_ref();
    let questions = match arguments.set {
        Set::Shipped => shipped()?,
        Set::Random => drawn(random::questions(arguments.seed), folder)?,
        Set::New => drawn(random::new_questions(arguments.seed), folder)?,
        Set::Domains => drawn(random::domain_questions(arguments.seed), folder)?,
    };
    let quick = matches!(arguments.set, Set::Shipped | Set::Domains);
    let seconds = arguments.seconds.unwrap_or(if quick { 5.0 } else { 8.0 });
    println!("{}", Line::HEADER);
    for model in &arguments.models {
        let mut lines = Vec::new();
        let named = |question: &&Question| {
            format!("{} {}", question.name, question.objective.as_str()).contains(&arguments.only)
        };
        for question in questions.iter().filter(named).step_by(arguments.every) {
            let mut runs: Vec<Line> = Vec::new();
            while runs.is_empty() || (runs.len() < arguments.repeat && takes_time(&runs[0], seconds)) {
                let line = ask(question, *model, seconds, arguments.clock);
                println!("{line}");
                runs.push(line);
            }
            lines.extend(summary::median(runs));
        }
        let name = model.map_or("own model", ModelKind::as_str);
        eprint!("{}", summary::of(name, seconds, arguments.clock, &lines));
    }
    Ok(())
}

/// Whether another run may give a different result because of the clock.
fn takes_time(first: &Line, seconds: f64) -> bool {
    5.0 * first.wall_s.max(first.cpu_s) > seconds
}

/// Runs one question until it is proven or the time is over.
fn ask(question: &Question, model: Option<ModelKind>, seconds: f64, clock: Clock) -> Line {
    let machine = question.study.machine.clone();
    let machine = model.map_or_else(|| machine.clone(), |model| machine.clone().with_sharing(model.into()));
    let model = machine.sharing().kind;
    let limit = Limit::new(clock, seconds);
    let settings = Settings { top: 0, ..Settings::default() };
    let found = Problem::new(&machine, &question.study.apps, question.objective, question.restrictions)
        .map_err(|refused| refused.to_string())
        .and_then(|problem| explore_to_the_end(&problem, &settings, &limit).map_err(|none| none.to_string()));
    let (wall_s, cpu_s) = limit.spent();
    let line = Line {
        name: question.name.clone(),
        kind: question.kind,
        objective: question.objective.as_str(),
        model: model.as_str(),
        status: String::new(),
        value: None,
        bound: None,
        gap: None,
        wall_s,
        cpu_s,
    };
    match found {
        Ok(Outcome { value, bound, gap, status, .. }) => {
            let status = if status == Status::Optimal { "proven" } else { "open" };
            Line { status: status.to_owned(), value: Some(value), bound: Some(bound), gap: Some(gap), ..line }
        }
        Err(why) => Line { status: format!("no answer: {}", why.replace([',', '\n'], ";")), ..line },
    }
}
