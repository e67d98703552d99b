//! What a person sends back: the result as one file.

use std::path::PathBuf;

use numasim_ask::Input;
use numasim_ask::compare::Measured;
use numasim_bench::provenance::{self, Provenance};

use super::{Folder, comparison, readme, report};
use crate::args::ValidateArgs;
use crate::commands::compare;
use crate::failure::Failure;
use crate::files;
use crate::output::Destination;
use crate::sharing;
use crate::shell::Shell;
use numasim_bench::bundle::private::Hidden;
use numasim_bench::bundle::{self, Bundle, BundleError};

/// Said in the README of a bundle.
const TAKEN_OUT: &str = "\nThis is a bundle to be sent: the name of the host and the folders of who measured were taken out, and with them the page, \
    the comparison and this file were made again. Measurements are as they were. `bundle.toml` has the SHA-256 of each file.\n";

/// Where the bundle goes, known to be writable.
pub(super) struct Wanted {
    path: PathBuf,
    to: Destination,
}

/// The bundle that is asked for. Nothing is written yet.
pub(super) fn open(args: &ValidateArgs) -> Result<Option<Wanted>, Failure> {
    let Some(path) = &args.bundle else { return Ok(None) };
    let to = Destination::open(Some(path))?;
    Ok(Some(Wanted { path: path.clone(), to }))
}

/// Whether an earlier run came to its end: the page is the last that it writes.
pub(super) fn is_finished(folder: &Folder) -> bool {
    let ended = recorded(folder).is_ok_and(|known| known.ended_utc.is_some());
    ended && folder.file(bundle::PAGE).exists()
}

impl Wanted {
    /// Packs what the folder has.
    pub(super) fn write(&self, args: &ValidateArgs, folder: &Folder, shell: &Shell) -> Result<(), Failure> {
        let known = recorded(folder)?;
        let hidden = Hidden::of(&known);
        let known = hidden.provenance(known);
        let mut files =
            vec![(bundle::PROVENANCE, known.to_json()), (bundle::MEASURED, read(folder, bundle::MEASURED)?)];
        for name in [bundle::MACHINE, bundle::STUDY] {
            files.push((name, hidden.toml(&read(folder, name)?)));
        }
        // Not every result has these: who had a machine file or scenarios needs neither.
        for name in [bundle::CALIBRATION, bundle::SCENARIOS] {
            if folder.file(name).exists() {
                files.push((name, hidden.toml(&read(folder, name)?)));
            }
        }
        files.extend(of_cache(folder, &hidden)?);
        let mut bundle = Bundle::of(files).map_err(not_packed)?;
        for (name, text) in made_again(&bundle, &known, args, &shell.silenced())? {
            bundle.insert(name, text).map_err(not_packed)?;
        }
        let bytes = bundle.to_bytes().map_err(not_packed)?;
        // Somebody far away could not ask for it again.
        if !Bundle::from_bytes(&bytes).is_ok_and(|read| read == bundle) {
            return Err(Failure::fault("the bundle is another one when it is read back"));
        }
        self.to.deliver_bytes(&bytes)?;
        let size = numasim_host::memory::size(bytes.len() as u64);
        shell.note(format!(
            "the bundle to send is {} ({size}); name of the host and folders are not in it, texts of your own files are",
            self.path.display()
        ));
        Ok(())
    }
}

/// What was found of the last-level cache; nothing with scenarios of a person.
fn of_cache(folder: &Folder, hidden: &Hidden) -> Result<Vec<(&'static str, String)>, Failure> {
    let there = |names: &[&'static str]| -> Result<Vec<(&'static str, String)>, Failure> {
        let there = names.iter().filter(|name| folder.file(name).exists());
        there.map(|name| Ok((*name, read(folder, name)?))).collect()
    };
    let mut files = there(&[bundle::CACHE])?;
    files.extend(there(&bundle::CACHE_MEASURED)?);
    for (name, text) in there(&[bundle::CACHE_SCENARIOS])?.into_iter().chain(there(&bundle::CACHE_STUDY)?) {
        files.push((name, hidden.toml(&text)));
    }
    for (name, text) in there(&bundle::CACHE_PROVENANCE)? {
        files.push((name, hidden.provenance(parsed(folder, name, &text)?).to_json()));
    }
    Ok(files)
}

/// What would give away what was taken out: page, comparison and README.
fn made_again(
    bundle: &Bundle,
    known: &Provenance,
    args: &ValidateArgs,
    shell: &Shell,
) -> Result<Vec<(&'static str, String)>, Failure> {
    let source = |name: &str| {
        bundle.source(name, name).ok_or_else(|| not_packed(BundleError::Missing { name: name.to_owned() }))
    };
    let input = sharing::choose_for(Input::of_sources(vec![source(bundle::STUDY)?])?, args.model, shell)?;
    let compared = compare::of(&input, &[], &Measured::read(source(bundle::MEASURED)?)?, shell)?;
    let cached = bundle.text(bundle::CACHE).map(serde_json::from_str).transpose();
    let cached = cached
        .map_err(|error| Failure::input(format!("{} cannot be read", bundle::CACHE)).caused_by(&error))?;
    let [json, text, _] = comparison(&compared, cached.as_ref(), shell);
    let command: Vec<String> = known.command.iter().map(|word| report::quoted(word)).collect();
    let made = readme::Made {
        command: &command.join(" "),
        has_scenarios: bundle.text(bundle::SCENARIOS).is_some(),
        one_process: !known.settings.processes,
    };
    let readme = readme::text(&made, &input.study, cached.as_ref()) + TAKEN_OUT;
    let mut made =
        vec![(bundle::COMPARISON_JSON, json), (bundle::COMPARISON, text), (bundle::README, readme)];
    let mut whole = bundle.clone();
    for (name, text) in &made {
        whole.insert(name, text.clone()).map_err(not_packed)?;
    }
    made.push((bundle::PAGE, report::of_bundle(whole, args.model, shell)?));
    Ok(made)
}

/// How the folder's measurements were made.
fn recorded(folder: &Folder) -> Result<Provenance, Failure> {
    parsed(folder, bundle::PROVENANCE, &read(folder, bundle::PROVENANCE)?)
}

fn parsed(folder: &Folder, name: &str, text: &str) -> Result<Provenance, Failure> {
    let path = folder.file(name);
    provenance::read(text)
        .map_err(|error| Failure::input(format!("{} cannot be read", path.display())).caused_by(&error))
}

fn read(folder: &Folder, name: &str) -> Result<String, Failure> {
    files::read_measurements(&folder.file(name)).map(|source| source.text)
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn not_packed(error: BundleError) -> Failure {
    Failure::input(format!("the result makes no bundle: it {error}"))
}
