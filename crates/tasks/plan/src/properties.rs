//! Properties of the plan of any program: random ones that repeat a random iteration.

use std::collections::HashMap;

use proptest::prelude::*;

use crate::profile::Setting;
use crate::random::questions;
use crate::testing::{Program, written};
use crate::{ClassId, Guided, Pattern};

const KINDS: [&str; 4] = ["a", "b", "c", "d"];

/// A task of an iteration below its creator: kind, the earlier task of the iteration that creates it, number of blocks that it reads.
type Piece = (usize, prop::sample::Index, usize);

/// One iteration, and the index of the task of the next iteration among its children.
#[derive(Clone, Debug)]
struct Body {
    pieces: Vec<Piece>,
    next_at: usize,
    blocks: u32,
}

fn any_body() -> impl Strategy<Value = Body> {
    let piece = (0..KINDS.len(), any::<prop::sample::Index>(), 0..3_usize);
    (prop::collection::vec(piece, 0..8), 0..4_usize, 1..5_u32).prop_map(|(pieces, next_at, blocks)| Body {
        pieces,
        next_at,
        blocks,
    })
}

impl Body {
    /// `main` makes all blocks; each `step` creates its pieces and the next step.
    fn program(&self, iterations: u32) -> Program {
        let mut program = Program {
            blocks: (0..self.blocks).map(|block| (0, u64::from(block))).collect(),
            ..Program::default()
        };
        let main = program.task("main", None, &[]);
        let mut seqs: HashMap<u32, u64> = HashMap::new();
        let mut next = |creator: u32| {
            let seq = seqs.entry(creator).or_default();
            *seq += 1;
            Some((creator, *seq - 1))
        };
        let mut step = program.task("step", next(main), &[]);
        for iteration in 0..iterations {
            let mut own = vec![step];
            let mut following = None;
            for (place, (kind, creator, reads)) in self.pieces.iter().enumerate() {
                if place == self.next_at && iteration + 1 < iterations {
                    following = Some(program.task("step", next(step), &[]));
                }
                let creator = *creator.get(&own);
                let reads: Vec<u32> = (0..self.blocks).take(*reads).collect();
                own.push(program.task(KINDS[*kind], next(creator), &reads));
            }
            step = following.unwrap_or_else(|| program.task("step", next(step), &[]));
        }
        program
    }
}

proptest! {
    #![proptest_config(questions(64))]

    #[test]
    fn the_plan_of_some_iterations_drives_any_number(body in any_body(), made_of in 3..5_u32, drives in 3..40_u32) {
        let plan = body.program(made_of).profile(2, |_, _| 1.0).plan(Pattern::Cyclic).expect("a profile");
        let guide = written(&plan).guide(2).expect("what was written is read");
        let program = body.program(drives);
        let mut classes: Vec<Option<ClassId>> = Vec::new();
        for (task, (_, created, _)) in (0..).zip(&program.tasks) {
            let template = program.template(task);
            let class = match *created {
                None => guide.root(&template),
                Some((parent, seq)) => {
                    classes[parent as usize].and_then(|creator| guide.child(creator, seq, &template))
                }
            };
            prop_assert!(class.is_some(), "task {} has no class", task);
            classes.push(class);
        }
        for &(creator, seq) in &program.blocks {
            prop_assert!(guide.block(classes[creator as usize], seq).is_some());
        }
    }

    #[test]
    fn tasks_of_a_class_are_alike_and_all_work_is_counted(body in any_body(), seconds in prop::collection::vec(0.1..9.0_f64, 5)) {
        let program = body.program(3);
        let of = |task: u32, setting: Setting| {
            let slot = setting.parts().1.unwrap_or(0);
            seconds[(task as usize + slot) % seconds.len()]
        };
        let plan = program.profile(3, of).plan(Pattern::Block).expect("a profile");
        let tasks: u64 = plan.planned().map(|(_, class, _)| class.tasks).sum();
        prop_assert_eq!(tasks, program.tasks.len() as u64);
        let work: f64 = plan.planned().map(|(_, _, planned)| planned.work_s).sum();
        let full: f64 = (0..).zip(&program.tasks).map(|(task, _)| of(task, Setting::Full)).sum();
        prop_assert!((work - full).abs() < 1e-9 * full, "{} and {}", work, full);
        for (number, class, planned) in plan.planned() {
            let accesses = plan.classes().templates().accesses(class.template) as usize;
            prop_assert_eq!(planned.affinity.len(), accesses);
            prop_assert!(planned.affinity.iter().all(|affinity| (0.0..=1.0 + 1e-12).contains(affinity)));
            // The fastest slot of each experiment has an affinity: only tasks without data have no preference.
            prop_assert_eq!(planned.node.is_none(), accesses == 0);
            let guide = written(&plan).guide(3).expect("what was written is read");
            prop_assert_eq!(guide.task(Some(number)), planned.node.map_or(Guided::NoOpinion, Guided::Node));
        }
    }

    #[test]
    fn any_text_is_a_plan_or_a_fault(text in "([0-9a-c/;.-]{0,9}[;\n]){0,12}") {
        use crate::File;
        let texts = crate::testing::Texts::default();
        let good = texts.with(File::PlanTree, &text);
        drop(good.clone().guide(2));
        let good = Body { pieces: Vec::new(), next_at: 0, blocks: 2 }.program(2).profile(2, |_, _| 1.0);
        for file in [File::Meta, File::Edt, File::New, File::Dbs, File::Acc, File::Raw, File::AffDbs] {
            drop(good.clone().with(file, &text).plan(Pattern::Hints));
        }
    }
}
