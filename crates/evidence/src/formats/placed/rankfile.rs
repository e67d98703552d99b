//! Rankfiles of Open MPI 5, and the command line of `mpirun`, which assigns the ranks to programs. Numbers of
//! slots are logical numbers of hwloc.

use std::collections::BTreeMap;

use numasim_model::Machine;
use numasim_study::{Place, Problem};

use super::{Memory, Placed, Threads, first_line, numactl, problem, set, shown};
use crate::formats::hwloc::logical::Logical;
use crate::formats::lines::lines;

/// One program of the line.
struct Part {
    name: String,
    ranks: usize,
    memory: Memory,
}

/// The applications of a rankfile. `command` is the text with the line of `mpirun`, the second file; without
/// it all ranks are one application, called `name`.
///
/// # Errors
/// Text that is not a rankfile, missing ranks, and cores that the machine does not have.
pub fn read(
    text: &str,
    command: Option<&str>,
    name: &str,
    machine: &Machine,
) -> Result<Vec<Placed>, Problem> {
    let command = command.map(|command| line_of(command).map(|line| (command, line))).transpose()?;
    let counts_threads =
        command.as_ref().is_some_and(|(_, (words, _))| words.iter().any(|word| word.contains(":hwtcpus")));
    let logical = Logical::of(machine, counts_threads);
    let ranks = ranks(text, &logical)?;
    let parts = match &command {
        None => vec![Part { name: name.to_owned(), ranks: ranks.len(), memory: Memory::FirstTouch }],
        Some((_, (words, place))) => parts(words).map_err(|why| problem(1, place.clone(), why))?,
    };
    let all: usize = parts.iter().map(|part| part.ranks).sum();
    if all != ranks.len() {
        let message = format!("the line of mpirun starts {all} ranks, and the rankfile has {}", ranks.len());
        return Err(problem(0, first_line(text), message));
    }
    let mut rest = ranks.into_iter();
    let of = |part: Part| {
        let own: Vec<(Vec<Threads>, Place)> = rest.by_ref().take(part.ranks).collect();
        let place = own.first().map_or(Place::whole(0), |(_, place)| place.clone());
        Placed {
            name: part.name,
            threads: own.into_iter().flat_map(|(threads, _)| threads).collect(),
            memory: part.memory,
            memory_mib: None,
            ranks: u32::try_from(part.ranks).unwrap_or(u32::MAX),
            counts_both: false,
            place,
        }
    };
    Ok(parts.into_iter().map(of).collect())
}

/// The threads of each rank, one per core.
fn ranks(text: &str, logical: &Logical) -> Result<Vec<(Vec<Threads>, Place)>, Problem> {
    let mut found: BTreeMap<usize, (Vec<Threads>, Place)> = BTreeMap::new();
    for line in lines(text) {
        let span = line.span();
        let content = line.text.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let wrong = |why: String| {
            problem(0, span.clone(), why).hint("a line of a rankfile is `rank 0=HOST slot=0-2,6`")
        };
        let parts = content.strip_prefix("rank ").and_then(|rest| rest.split_once('='));
        let parts = parts.and_then(|(rank, rest)| {
            let (_, slots) = rest.split_once("slot=").or_else(|| rest.split_once("slots="))?;
            Some((rank.trim().parse::<usize>().ok()?, slots.trim()))
        });
        let Some((rank, slots)) = parts else {
            return Err(wrong("this is no line of a rankfile".to_owned()));
        };
        if slots.contains(':') {
            return Err(wrong(
                "numbers of the form socket:core are not read: Open MPI drops some of them".to_owned(),
            )
            .hint("name cores by their logical numbers, as in `slot=0-2,6`"));
        }
        let threads = set(slots).map_err(&wrong)?.into_iter().map(|slot| {
            let cpus = logical.cpus(slot).map(<[u32]>::to_vec);
            cpus.map(Threads::On)
                .ok_or_else(|| wrong(format!("the machine has no core with the logical number {slot}")))
        });
        let threads = threads.collect::<Result<Vec<_>, Problem>>()?;
        if found.insert(rank, (threads, Place::at(0, span.clone()))).is_some() {
            return Err(wrong(format!("rank {rank} has two lines")));
        }
    }
    match found.keys().copied().zip(0..).find(|(rank, expected)| rank != expected) {
        _ if found.is_empty() => Err(problem(0, first_line(text), "there is no rank in this file")),
        Some((rank, expected)) => {
            Err(problem(0, first_line(text), format!("rank {expected} has no line, and rank {rank} has one")))
        }
        None => Ok(found.into_values().collect()),
    }
}

/// The words of the line that begins with `mpirun`, and its bytes.
fn line_of(text: &str) -> Result<(Vec<String>, std::ops::Range<usize>), Problem> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("mpirun ") {
            // Continued lines.
            let mut whole = String::new();
            for line in text[start..].split_inclusive('\n') {
                let content = line.trim_end();
                whole.push_str(content.trim_end_matches('\\'));
                whole.push(' ');
                if !content.ends_with('\\') {
                    break;
                }
            }
            return Ok((words(&whole), start..start + line.trim_end().len()));
        }
        start += line.len();
    }
    Err(problem(1, first_line(text), "there is no line that begins with `mpirun`"))
}

/// The words of a shell line: quotes and backslashes are removed, nothing is expanded.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote): (Vec<String>, Option<String>, Option<char>) =
        (Vec::new(), None, None);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The programs of the line, with their ranks.
fn parts(words: &[String]) -> Result<Vec<Part>, String> {
    let words = words.get(1..).unwrap_or_default();
    words.split(|word| word == ":").map(part).collect()
}

fn part(words: &[String]) -> Result<Part, String> {
    let mut ranks = None;
    let mut at = 0;
    let word = |at: usize| words.get(at).map(String::as_str);
    while let Some(option) = word(at).filter(|word| word.starts_with('-')) {
        at += match option {
            "-np" | "-n" | "-c" | "--np" | "--n" => {
                ranks = word(at + 1).and_then(|number| number.parse::<usize>().ok());
                2
            }
            "--map-by" | "--rank-by" | "--bind-to" | "--host" | "-H" | "-host" | "--hostfile"
            | "-hostfile" | "--machinefile" | "-x" | "--display" | "--wdir" | "-wdir" | "--output"
            | "--timeout" | "--prefix" => 2,
            "--mca" | "-mca" | "--prtemca" | "--pmixmca" => 3,
            _ => 1,
        };
    }
    let memory = numactl(words.iter().skip(at).take(1).chain(words.iter().skip(at + 1)).map(String::as_str))?;
    if word(at).is_some_and(|word| word.rsplit('/').next() == Some("numactl")) {
        at += 1;
        while let Some(option) = word(at).filter(|word| word.starts_with('-')) {
            let takes_next = !option.contains('=') && !matches!(option, "--localalloc" | "-l");
            at += 1 + usize::from(takes_next);
        }
    }
    let ranks = ranks.filter(|&ranks| ranks > 0).ok_or("a program of this line has no `-np`")?;
    let program = word(at).ok_or("a part of this line names no program")?;
    let name = program.strip_prefix("./").unwrap_or(program).to_owned();
    if name.is_empty() {
        return Err(format!("'{}' is no program", shown(program)));
    }
    Ok(Part { name, ranks, memory: memory.unwrap_or_default() })
}
