//! Reads `kernel` and `[app.problem]` of an application: which kernel, and how large its problem is.

use numasim_model::app::Access;
use numasim_model::problem::{
    BlackScholes, Cells, Chase, Dmv, Elements, Faults, How, KernelName, KernelProblem, MOST_SIDE, Memcpy,
    Partition, Seismic, Source, Spmv, Stencil2d, Storage,
};

use super::log::Log;
use super::names;
use super::problem::{Problem, ProblemKind};
use super::reading::TableKind;
use super::table::TableReader;
use super::value::{Count, Value};
use super::words;

/// Title of the table.
pub(super) const TITLE: &str = "[app.problem]";

const OPTIONS: Count =
    Count { what: "a number of options", example: "10_000_000", min: 1, max: BlackScholes::MOST_OPTIONS };
const TIMES: Count = Count { what: "how often", example: "10", min: 1, max: 1_000_000_000 };
const ROWS: Count = Count { what: "a number of rows", example: "5120", min: 1, max: Dmv::MOST_ROWS };
const SIDE: Count =
    Count { what: "a number of rows or columns of points", example: "8192", min: 1, max: MOST_SIDE };
const CELLS: Count = Count { what: "a number of cells", example: "4", min: 1, max: Cells::MOST_ROWS };
const COPY_MIB: Count =
    Count { what: "a size in MiB (2^20 bytes)", example: "4096", min: 1, max: Memcpy::MOST_MIB };
const CHASE_MIB: Count =
    Count { what: "a size in MiB (2^20 bytes)", example: "256", min: 1, max: Chase::MOST_MIB };
const CHAINS: Count = Count { what: "a number of chains", example: "1", min: 1, max: Chase::MOST_CHAINS };
const HOPS: Count =
    Count { what: "a number of hops of each chain", example: "4_194_304", min: 1, max: 1_000_000_000_000 };

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

/// Reads both; `name` is for the defaults. `None` is a mistake, which is reported.
pub(super) fn read(table: &mut TableReader<'_>, name: &str) -> Option<Stands> {
    let log = table.source.log;
    let (kernel, problem) = (table.optional("kernel"), table.optional("problem"));
    let word = kernel.as_ref().map_or_else(
        || {
            log.note_default(TableKind::App, name, "kernel", Access::default().as_str());
            Some(Word::Synthetic(Access::default()))
        },
        |value| {
            let words: Vec<Word> =
                Access::ALL.map(Word::Synthetic).into_iter().chain(KernelName::ALL.map(Word::Real)).collect();
            words::read(value, &words, Word::as_str)
        },
    );
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
            let table = problem.map(|value| value.table(TITLE, "a table", hint));
            if table.as_ref().is_some_and(Option::is_none) {
                return None;
            }
            let mut sizes = Sizes { log, name, table: table.flatten() };
            let read = sizes.read(kernel);
            if let Some(table) = sizes.table {
                table.finish();
            }
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

/// The keys of a table that need not be there.
struct Sizes<'a, 'n> {
    log: &'a Log,
    name: &'n str,
    table: Option<TableReader<'a>>,
}

impl<'a> Sizes<'a, '_> {
    /// The value of a key; where it is not there, its default is noted.
    fn value(&mut self, key: &'static str, default: &dyn ToString) -> Option<Value<'a>> {
        let value = self.table.as_mut().and_then(|table| table.optional(key));
        if value.is_none() {
            self.log.note_default(TableKind::App, self.name, format!("problem.{key}"), default.to_string());
        }
        value
    }

    fn count(&mut self, key: &'static str, count: Count, default: u64) -> Option<u64> {
        self.value(key, &default).map_or(Some(default), |value| value.large_count(count))
    }

    fn word<T: Copy>(
        &mut self,
        key: &'static str,
        all: &[T],
        word: fn(T) -> &'static str,
        default: T,
    ) -> Option<T> {
        self.value(key, &word(default)).map_or(Some(default), |value| words::read(&value, all, word))
    }

    /// Every key is read, so that every mistake is reported.
    fn read(&mut self, kernel: KernelName) -> Option<KernelProblem> {
        match KernelProblem::of(kernel) {
            KernelProblem::BlackScholes(own) => {
                let options = self.count("options", OPTIONS, own.options);
                let runs = self.count("runs", TIMES, own.runs);
                Some(KernelProblem::BlackScholes(BlackScholes { options: options?, runs: runs? }))
            }
            KernelProblem::Dmv(own) => {
                let rows = self.count("rows", ROWS, own.rows);
                let iterations = self.count("iterations", TIMES, own.iterations);
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
                let size_mib = self.count("size_mib", CHASE_MIB, own.size_mib);
                let chains = self.count("chains", CHAINS, own.chains);
                let hops = self.count("hops", HOPS, own.hops);
                Some(KernelProblem::Chase(Chase { size_mib: size_mib?, chains: chains?, hops: hops? }))
            }
        }
    }

    fn grid(&mut self, [rows, columns, iterations]: [u64; 3]) -> [Option<u64>; 3] {
        [
            self.count("rows", SIDE, rows),
            self.count("columns", SIDE, columns),
            self.count("iterations", TIMES, iterations),
        ]
    }

    fn spmv(&mut self, own: Spmv) -> Option<KernelProblem> {
        let [x, ..] = own.cells.0;
        let cells = self.value("cells", &x).map_or(Some(own.cells), |value| read_cells(&value));
        let iterations = self.count("iterations", TIMES, own.iterations);
        let elements = self.word("elements", &Elements::ALL, Elements::as_str, own.elements);
        let partition = self.word("partition", &Partition::ALL, Partition::as_str, own.partition);
        let storage = self.word("storage", &Storage::ALL, Storage::as_str, own.storage);
        Some(KernelProblem::Spmv(Spmv {
            cells: cells?,
            iterations: iterations?,
            elements: elements?,
            partition: partition?,
            storage: storage?,
        }))
    }

    fn memcpy(&mut self, own: Memcpy) -> Option<KernelProblem> {
        let size_mib = self.count("size_mib", COPY_MIB, own.size_mib);
        let copies = self.count("copies", TIMES, own.copies);
        let source = self.word("source", &Source::ALL, Source::as_str, own.source);
        let faults = self.word("faults", &Faults::ALL, Faults::as_str, own.faults);
        let how = self.word("how", &How::ALL, How::as_str, own.how);
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
        let counts: Vec<Option<u64>> = entries.iter().map(|entry| entry.large_count(CELLS)).collect();
        let counts: Vec<u64> = counts.into_iter().collect::<Option<_>>()?;
        let Ok(counts) = <[u64; 3]>::try_from(counts) else {
            let message = format!("`{}` needs three numbers, not {}", value.name, entries.len());
            value.report(ProblemKind::WrongLength, message, "x, y and z", hint);
            return None;
        };
        Cells(counts)
    } else {
        Cells([value.large_count(CELLS)?; 3])
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
