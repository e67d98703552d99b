//! Reads `kernel` and `[app.problem]` of an application: which kernel, and how large its problem is.

use numasim_model::app::Access;
use numasim_model::problem::{
    BlackScholes, Cells, Chase, Dmv, Elements, Faults, How, KernelName, KernelProblem, Memcpy, Partition,
    Seismic, Source, Spmv, Stencil2d, Storage,
};

use super::keys::{Key, app, problem};
use super::log::Log;
use super::names;
use super::problem::{Problem, ProblemKind};
use super::table::TableReader;
use super::value::{Count, Value};

const TITLE: &str = problem::TABLE.title;
/// A dense matrix has fewer rows than a grid of points.
const ROWS: Count = Count { what: "a number of rows", example: "5120", min: 1, max: Dmv::MOST_ROWS };
/// What each thread follows addresses in is smaller than what it copies.
const CHASE_MIB: Count =
    Count { what: "a size in MiB (2^20 bytes)", example: "256", min: 1, max: Chase::MOST_MIB };

/// What stands for an application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stands {
    /// A synthetic kernel, of any intensity.
    Synthetic(Access),
    /// A real one, which counts its own.
    Real(KernelProblem),
}

/// A word that `kernel` may be.
#[derive(Clone, Copy)]
enum Word {
    Synthetic(Access),
    Real(KernelName),
}

impl Word {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Synthetic(access) => access.as_str(),
            Self::Real(kernel) => kernel.as_str(),
        }
    }
}

/// Reads both. `None` is a mistake, which is reported.
pub(super) fn read(table: &mut TableReader<'_>) -> Option<Stands> {
    let log = table.source.log;
    let (kernel, problem) = (
        table.given_or(&app::KERNEL, || Access::default().as_str().to_owned()),
        table.optional(&app::PROBLEM),
    );
    let words: Vec<Word> =
        Access::ALL.map(Word::Synthetic).into_iter().chain(KernelName::ALL.map(Word::Real)).collect();
    let word = kernel
        .as_ref()
        .map_or_else(|| Some(Word::Synthetic(Access::default())), |value| value.word(&words, Word::as_str));
    match word? {
        Word::Synthetic(access) => {
            if let Some(value) = problem {
                report_without_kernel(log, &value, kernel.as_ref());
                return None;
            }
            Some(Stands::Synthetic(access))
        }
        Word::Real(kernel) => {
            let hint = "write `[app.problem]` below the keys of its `[[app]]`, and sizes below it";
            let mut sizes = match problem {
                Some(value) => value.table(&problem::TABLE, "a table", hint)?,
                None => TableReader::none(log, &problem::TABLE),
            };
            sizes.name.clone_from(&table.name);
            sizes.prefix = "problem.";
            let read = sizes.problem(kernel);
            sizes.finish();
            read.map(Stands::Real)
        }
    }
}

fn report_without_kernel(log: &Log, value: &Value<'_>, kernel: Option<&Value<'_>>) {
    let one = names::one_of(KernelName::ALL.map(KernelName::as_str));
    let message = match kernel {
        Some(kernel) => format!("{TITLE} belongs to a real kernel, and {} is none", kernel.text()),
        None => format!("{TITLE} belongs to a real kernel, and this app names none"),
    };
    let problem = Problem::new(ProblemKind::Conflict, message)
        .at(value.key_place(), "the problem of which kernel?")
        .hint(format!("write `kernel`, {one}, or remove the table"));
    log.report(match kernel {
        Some(kernel) => problem.related(kernel.place(), "of any size"),
        None => problem,
    });
}

impl TableReader<'_> {
    fn size(&mut self, key: &'static Key, default: u64) -> Option<u64> {
        self.read_or_shown(key, (default, default), Value::large_count)
    }

    /// The same with limits that only this kernel has.
    fn size_of(&mut self, key: &'static Key, count: Count, default: u64) -> Option<u64> {
        self.read_or_shown(key, (default, default), |value| value.large_count_of(count))
    }

    /// Every key is read, so that every mistake is reported.
    fn problem(&mut self, kernel: KernelName) -> Option<KernelProblem> {
        match KernelProblem::of(kernel) {
            KernelProblem::BlackScholes(own) => {
                let options = self.size(&problem::OPTIONS, own.options);
                let runs = self.size(&problem::RUNS, own.runs);
                Some(KernelProblem::BlackScholes(BlackScholes { options: options?, runs: runs? }))
            }
            KernelProblem::Dmv(own) => {
                let rows = self.size_of(&problem::ROWS, ROWS, own.rows);
                let iterations = self.size(&problem::ITERATIONS, own.iterations);
                Some(KernelProblem::Dmv(Dmv { rows: rows?, iterations: iterations? }))
            }
            KernelProblem::Spmv(own) => self.spmv(own),
            KernelProblem::Memcpy(own) => self.memcpy(own),
            KernelProblem::Stencil2d(own) => {
                let [rows, columns, iterations] = self.grid([own.rows, own.columns, own.iterations]);
                Some(KernelProblem::Stencil2d(Stencil2d {
                    rows: rows?,
                    columns: columns?,
                    iterations: iterations?,
                }))
            }
            KernelProblem::Seismic(own) => {
                let [rows, columns, iterations] = self.grid([own.rows, own.columns, own.iterations]);
                Some(KernelProblem::Seismic(Seismic {
                    rows: rows?,
                    columns: columns?,
                    iterations: iterations?,
                }))
            }
            KernelProblem::Chase(own) => {
                let size_mib = self.size_of(&problem::SIZE_MIB, CHASE_MIB, own.size_mib);
                let chains = self.size(&problem::CHAINS, own.chains);
                let hops = self.size(&problem::HOPS, own.hops);
                Some(KernelProblem::Chase(Chase { size_mib: size_mib?, chains: chains?, hops: hops? }))
            }
        }
    }

    fn grid(&mut self, [rows, columns, iterations]: [u64; 3]) -> [Option<u64>; 3] {
        [
            self.size(&problem::ROWS, rows),
            self.size(&problem::COLUMNS, columns),
            self.size(&problem::ITERATIONS, iterations),
        ]
    }

    fn spmv(&mut self, own: Spmv) -> Option<KernelProblem> {
        let [x, ..] = own.cells.0;
        let cells = self.read_or_shown(&problem::CELLS, (own.cells, x), read_cells);
        let iterations = self.size(&problem::ITERATIONS, own.iterations);
        let elements = self.word_or(&problem::ELEMENTS, own.elements, &Elements::ALL, Elements::as_str);
        let partition = self.word_or(&problem::PARTITION, own.partition, &Partition::ALL, Partition::as_str);
        let storage = self.word_or(&problem::STORAGE, own.storage, &Storage::ALL, Storage::as_str);
        Some(KernelProblem::Spmv(Spmv {
            cells: cells?,
            iterations: iterations?,
            elements: elements?,
            partition: partition?,
            storage: storage?,
        }))
    }

    fn memcpy(&mut self, own: Memcpy) -> Option<KernelProblem> {
        let size_mib = self.size(&problem::SIZE_MIB, own.size_mib);
        let copies = self.size(&problem::COPIES, own.copies);
        let source = self.word_or(&problem::SOURCE, own.source, &Source::ALL, Source::as_str);
        let faults = self.word_or(&problem::FAULTS, own.faults, &Faults::ALL, Faults::as_str);
        let how = self.word_or(&problem::HOW, own.how, &How::ALL, How::as_str);
        Some(KernelProblem::Memcpy(Memcpy {
            size_mib: size_mib?,
            copies: copies?,
            source: source?,
            faults: faults?,
            how: how?,
        }))
    }
}

/// Cells along all axes, or along each.
fn read_cells(value: &Value<'_>) -> Option<Cells> {
    let hint = "write the cells along x, y and z, e.g. `[4, 4, 8]`, or one number for all three";
    let cells = if value.is_list() {
        let entries = value.list("a list of three numbers", hint)?;
        let counts: Vec<Option<u64>> = entries.iter().map(Value::large_count).collect();
        let counts: Vec<u64> = counts.into_iter().collect::<Option<_>>()?;
        let Ok(counts) = <[u64; 3]>::try_from(counts) else {
            let message = format!("`{}` needs three numbers, not {}", value.name, entries.len());
            value.report(ProblemKind::WrongLength, message, "x, y and z", hint);
            return None;
        };
        Cells(counts)
    } else {
        Cells([value.large_count()?; 3])
    };
    if cells.rows() > Cells::MOST_ROWS {
        let message = format!(
            "`{}` of {} makes more than {} rows, 80 for each cell",
            value.name,
            value.text(),
            Cells::MOST_ROWS
        );
        value.report(ProblemKind::Limit, message, "too large", "84 cells along each axis are the most");
        return None;
    }
    Some(cells)
}
