//! Small profiles for tests, as text.

use std::fmt::Write as _;

use crate::profile::{self, Setting};
use crate::{Fault, File, Guide, Pattern, Plan, Templates, analyse, guide};

/// The files of a profile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts(pub(crate) Vec<(File, String)>);

impl Texts {
    pub(crate) fn file(&mut self, file: File) -> &mut String {
        if let Some(at) = self.0.iter().position(|(known, _)| *known == file) {
            return &mut self.0[at].1;
        }
        self.0.push((file, String::new()));
        &mut self.0.last_mut().expect("just pushed").1
    }

    /// With other text in a file.
    pub(crate) fn with(mut self, file: File, text: &str) -> Self {
        *self.file(file) = text.to_owned();
        self
    }

    fn feed(&self, file: File, each: crate::Lines<'_>) -> Result<(), Fault> {
        let text = self.0.iter().find(|(known, _)| *known == file).map_or("", |(_, text)| text);
        (1..).zip(text.lines()).try_for_each(|(line, text)| each(line, text))
    }

    pub(crate) fn plan(&self, pattern: Pattern) -> Result<Plan, Fault> {
        analyse(pattern, |file, each| self.feed(file, each))
    }

    pub(crate) fn guide(&self, nodes: usize) -> Result<Guide, Fault> {
        guide(nodes, |file, each| self.feed(file, each))
    }
}

/// The two files that a run reads.
pub(crate) fn written(plan: &Plan) -> Texts {
    let mut texts = Texts::default();
    crate::plan::write_dbs(plan, texts.file(File::PlanDbs)).expect("text");
    crate::plan::write_tree(plan, texts.file(File::PlanTree)).expect("text");
    texts
}

/// A task: its type, its creator and place, the blocks that it accesses.
type Task = (&'static str, Option<(u32, u64)>, Vec<u32>);

/// A program: tasks in the order of creation with type, creator and accessed blocks; blocks with creator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) tasks: Vec<Task>,
    pub(crate) blocks: Vec<(u32, u64)>,
}

impl Program {
    /// Adds a task; returns its number.
    pub(crate) fn task(&mut self, kind: &'static str, created: Option<(u32, u64)>, blocks: &[u32]) -> u32 {
        self.tasks.push((kind, created, blocks.to_vec()));
        u32::try_from(self.tasks.len()).expect("few") - 1
    }

    /// The paper's program: main, a chain of creators, each with workers. The last creator creates no next one.
    pub(crate) fn creators(iterations: u32, workers: u64) -> Self {
        let mut program = Self::default();
        let mut creator = program.task("main", None, &[]);
        let mut seq = 0;
        for iteration in 0..iterations {
            creator = program.task("creator", Some((creator, seq)), &[]);
            seq = 0;
            let first = u64::from(iteration + 1 < iterations);
            for worker in 0..workers {
                program.task("worker", Some((creator, first + worker)), &[]);
            }
        }
        program
    }

    /// The template of a task.
    pub(crate) fn template(&self, task: u32) -> String {
        let (kind, _, blocks) = &self.tasks[task as usize];
        Templates::name_of(kind, blocks.len())
    }

    /// Its profile on this number of nodes; `seconds` of a task in a setting.
    pub(crate) fn profile(&self, nodes: usize, seconds: impl Fn(u32, Setting) -> f64) -> Texts {
        let mut texts = Texts::default();
        profile::meta(texts.file(File::Meta), nodes).expect("text");
        for (task, (_, created, blocks)) in (0..).zip(&self.tasks) {
            let template = self.template(task);
            profile::edt(texts.file(File::Edt), task, &template).expect("text");
            if let Some((parent, seq)) = *created {
                profile::new_task(texts.file(File::New), parent, seq, task).expect("text");
            }
            for (slot, &block) in blocks.iter().enumerate() {
                profile::access(texts.file(File::Acc), &template, task, slot, "", block).expect("text");
            }
            let each = |of: fn(usize) -> Setting| (0..blocks.len()).map(of);
            let settings = [Setting::Normal, Setting::Full].into_iter();
            let all = settings
                .chain(each(Setting::Cache))
                .chain(each(Setting::NumaFixed))
                .chain(each(Setting::NumaMovable));
            for setting in all {
                profile::raw(texts.file(File::Raw), &template, task, setting, seconds(task, setting))
                    .expect("text");
            }
        }
        for (block, &(creator, seq)) in (0..).zip(&self.blocks) {
            profile::block(texts.file(File::Dbs), block, "", 8.0, creator, seq).expect("text");
            writeln!(texts.file(File::AffDbs), "{block};0;0").expect("text");
        }
        texts
    }
}
