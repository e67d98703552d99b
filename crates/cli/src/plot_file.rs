//! The destination of a plot: an SVG, or a PNG or PDF created from it.

#[cfg(any(feature = "png", feature = "pdf"))]
mod rendered;

use std::path::Path;

pub(crate) use numasim_ask::thread_map::MOST_MAPPED_NODES;
use numasim_model::Machine;

use crate::failure::Failure;
use crate::output::Destination;

/// Whether a thread map has enough space for the machine.
pub(crate) fn can_be_mapped(machine: &Machine) -> Result<(), Failure> {
    let nodes = machine.node_count();
    if nodes <= MOST_MAPPED_NODES {
        return Ok(());
    }
    Err(Failure::input(format!(
        "a thread map shows up to {MOST_MAPPED_NODES} nodes, and this machine has {nodes}"
    ))
    .hint("use `numasim evaluate`: its tables have no such limit"))
}

/// The output format for the SVG.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Svg,
    Png,
    Pdf,
}

/// A destination for a plot, checked to be writable when it was opened.
#[derive(Debug)]
pub(crate) struct PlotFile {
    destination: Destination,
    kind: Kind,
}

impl PlotFile {
    /// Checks that a plot can be written to `path` (`None` and `-`: SVG on standard output) and changes nothing.
    ///
    /// # Errors
    /// A name that ends in none of `.svg`, `.png` and `.pdf`, PNG or PDF without its feature, and the errors of [`Destination::open`].
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let kind = match path {
            Some(path) if path != Path::new("-") => kind(path)?,
            _ => Kind::Svg,
        };
        Ok(Self { destination: Destination::open(path)?, kind })
    }

    /// The same for a plot in addition to a result, if it was requested.
    pub(crate) fn beside(path: Option<&Path>) -> Result<Option<Self>, Failure> {
        path.map(|path| Self::open(Some(path))).transpose()
    }

    /// Writes the plot.
    ///
    /// # Errors
    /// The errors of [`Destination::deliver`]; PNG and PDF that cannot be created from it.
    pub(crate) fn deliver(&self, svg: &str) -> Result<(), Failure> {
        match self.kind {
            Kind::Svg => self.destination.deliver(svg),
            Kind::Png => self.destination.deliver_bytes(&png(svg)?),
            Kind::Pdf => self.destination.deliver_bytes(&pdf(svg)?),
        }
    }
}

fn kind(path: &Path) -> Result<Kind, Failure> {
    let ends_in = |ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    match () {
        () if ends_in("svg") => Ok(Kind::Svg),
        () if ends_in("png") && cfg!(feature = "png") => Ok(Kind::Png),
        () if ends_in("pdf") && cfg!(feature = "pdf") => Ok(Kind::Pdf),
        () if ends_in("png") => Err(without(path, "PNG", "png")),
        () if ends_in("pdf") => Err(without(path, "PDF", "pdf")),
        () => Err(Failure::input(format!("cannot draw {}: plots are SVG, PNG or PDF", path.display()))
            .hint("name a file that ends in .svg, .png or .pdf")),
    }
}

fn without(path: &Path, what: &str, feature: &str) -> Failure {
    let message = format!("cannot draw {}: this numasim was built without {what}", path.display());
    Failure::input(message).hint(format!("build it again: cargo build --release --features {feature}")).hint(
        "or name a file that ends in .svg; browsers and LaTeX read it, rsvg-convert makes PNG or PDF of it",
    )
}

#[cfg(feature = "png")]
fn png(svg: &str) -> Result<Vec<u8>, Failure> {
    rendered::png(svg).map_err(|error| Failure::fault("cannot render the plot").caused_by(error.as_ref()))
}

#[cfg(not(feature = "png"))]
fn png(_: &str) -> Result<Vec<u8>, Failure> {
    Err(Failure::fault("a PNG was promised by a build without PNG"))
}

#[cfg(feature = "pdf")]
fn pdf(svg: &str) -> Result<Vec<u8>, Failure> {
    rendered::pdf(svg).map_err(|error| Failure::fault("cannot convert the plot").caused_by(error.as_ref()))
}

#[cfg(not(feature = "pdf"))]
fn pdf(_: &str) -> Result<Vec<u8>, Failure> {
    Err(Failure::fault("a PDF was promised by a build without PDF"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_the_name_decides() {
        assert_eq!(kind(Path::new("a.SVG")).ok(), Some(Kind::Svg));
        let refused = kind(Path::new("a.eps")).expect_err("no EPS");
        assert!(refused.to_string().contains("plots are SVG, PNG or PDF"), "{refused}");
        for (name, built, of, feature) in [
            ("a.b.png", cfg!(feature = "png"), Kind::Png, "--features png"),
            ("a.PDF", cfg!(feature = "pdf"), Kind::Pdf, "--features pdf"),
        ] {
            let found = kind(Path::new(name));
            if built {
                assert_eq!(found.ok(), Some(of));
            } else {
                let refused = found.expect_err("built without").to_string();
                assert!(refused.contains(feature), "{refused}");
            }
        }
    }
}
