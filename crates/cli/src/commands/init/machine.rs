//! The machine of a new study: from the catalogue, a file, or this host.

use std::path::Path;

use numasim_graph::read_study;
use numasim_host::HostTopology;
use numasim_host::machine_file::{Placeholders, with_placeholders};
use numasim_study::SourceFile;

use crate::failure::Failure;
use crate::files;

/// Figures of a host that nobody has measured: what a person said, or round ones that nobody takes for measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figures {
    /// Of a core, in GFLOPS.
    pub(super) gflops_per_core: f64,
    /// Of the memory of a node, in GB/s.
    pub(super) bandwidth_gbs: f64,
    /// Between two nodes, in GB/s.
    pub(super) link_gbs: f64,
}

impl Default for Figures {
    fn default() -> Self {
        Self { gflops_per_core: 10.0, bandwidth_gbs: 100.0, link_gbs: 40.0 }
    }
}

/// A machine that was chosen, as text.
pub(super) struct Chosen {
    source: SourceFile,
    assumed: Option<String>,
}

/// A machine whose text has been read.
pub(super) struct Read {
    /// The text, without a line for editors.
    pub(super) text: String,
    /// What is assumed of it, for a warning.
    pub(super) assumed: Option<String>,
    /// The file has applications, too.
    pub(super) has_apps: bool,
    /// The file has scenarios, too.
    pub(super) has_scenarios: bool,
}

impl Chosen {
    /// A file, or one of the catalogue.
    pub(super) fn of_path(path: &Path) -> Result<Self, Failure> {
        let mut sources = files::read_texts(&[path.to_owned()])?;
        let source = sources.pop().ok_or_else(|| Failure::fault("a file was read and is not there"))?;
        Ok(Self { source, assumed: None })
    }

    /// This host, with these figures where it tells none.
    pub(super) fn of_host(host: &HostTopology, figures: &Figures) -> Self {
        let placeholders = Placeholders {
            gflops_per_core: figures.gflops_per_core,
            bandwidth_gbs: figures.bandwidth_gbs,
            link_gbs: figures.link_gbs,
            source: "written by numasim init; measure it with numasim calibrate",
        };
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
    /// What is wrong with it, each with its place.
    pub(super) fn read(self) -> Result<Read, Failure> {
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

/// The topology of this host: through hwloc where this program has it, else from `/sys`.
pub(super) fn topology() -> Result<HostTopology, Failure> {
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
mod tests {
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
