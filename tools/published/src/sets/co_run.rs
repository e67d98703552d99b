//! Local and remote readers of one memory: the HBM of a Xeon Max socket.
//!
//! # Data
//! 2 x Xeon Max 9462 in flat mode: uncore counters, peak of 100 ms intervals; notes of the DRAMHiT project. The local
//! threads alone draw 432 GB/s (399 in the eighth of the best intervals: the noise of the measurement), the remote ones
//! alone 81 GB/s.
//!
//! # Method
//! A machine of two nodes with these two values as controller and link. No bandwidth of a single core is published: a thread
//! is assumed to draw at most a thirty-second of the controller, so that one thread on each of a socket's 32 cores can fill
//! it. Only totals were measured. Models that use up a controller predict the same totals, so that this set shows whether
//! remote readers cost more than they get (`remote_loss`), not the share of each. Each point is predicted with the loss that
//! fits the two others.

use numasim_model::sharing::Parameter;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{ModelKind, NodeId, Study};

use super::{
    ADVISED, EQUAL_PARTS, Judged, NO_FIT, NO_SHARING, Part, Point, PublishedError, Role, in_words, study,
    with_model, without_correction,
};
use numasim_evidence::fit::{self, Observed, by_solver};
use numasim_study::csv::Rows;

const DATA: &str = include_str!("../../../../results/published-data/data/xeonmax9462_2S_corun_hbm.csv");
const TARGET: &str = "HBM node2";
/// Cores of a socket.
const CORES: f64 = 32.0;

/// Threads of both sockets on the memory of the first one.
#[derive(Clone, Debug, PartialEq)]
struct Experiment {
    name: String,
    local: u32,
    remote: u32,
    gbs: f64,
}

fn read() -> Result<Vec<Experiment>, PublishedError> {
    let mut rows = Rows::new(DATA)?;
    let columns = ["experiment", "local_threads", "remote_threads", "target", "total_GBs_peak"]
        .map(|name| rows.column(name));
    let [Some(name), Some(local), Some(remote), Some(target), Some(total)] = columns else {
        return Err(rows.header_lacks("columns are missing").into());
    };
    let mut found = Vec::new();
    while let Some(row) = rows.next() {
        let row = row?;
        if row.text(Some(target)) == TARGET {
            found.push(Experiment {
                name: row.text(Some(name)).to_owned(),
                local: row.whole_number(local, 0, "threads")?,
                remote: row.whole_number(remote, 0, "threads")?,
                gbs: row.amount(total, "GB/s")?,
            });
        }
    }
    Ok(found)
}

/// The two-node machine with a scenario for each experiment with readers from both sockets, and the measurements.
fn measured() -> Result<(Study, Vec<Experiment>), PublishedError> {
    use std::fmt::Write as _;
    let all = read()?;
    let alone = |wanted: fn(&Experiment) -> bool| {
        let found = all.iter().find(|one| wanted(one)).map(|one| one.gbs);
        found.ok_or_else(|| PublishedError::Model("nobody was measured alone".to_owned()))
    };
    let local = alone(|one| one.local > 0 && one.remote == 0)?;
    let remote = alone(|one| one.local == 0)?;
    let mut text = format!(
        "[machine]\nname = \"2 x Xeon Max 9462, HBM\"\nnodes = 2\ncores_per_node = 64\ngflops_per_core = 1e9\n\
         bandwidth_gbs = {local:?}\nlink_gbs = {remote:?}\ncore_bandwidth_gbs = {:?}\n\
         [[app]]\nname = \"local\"\narithmetic_intensity = 1.0\n\
         [[app]]\nname = \"remote\"\narithmetic_intensity = 1.0\ndata = {{ home = 0 }}\n",
        local / CORES
    );
    let both: Vec<Experiment> = all.iter().filter(|one| one.local > 0 && one.remote > 0).cloned().collect();
    for one in &both {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "[[scenario]]\nname = {:?}\nthreads = {{ local = [{}, 0], remote = [0, {}] }}\n",
            one.name, one.local, one.remote
        );
    }
    Ok((study("2 x Xeon Max 9462", &text)?, both))
}

fn observations(all: &[Experiment]) -> Vec<Observed> {
    let observed = |(scenario, one): (usize, &Experiment)| Observed { scenario, app: None, gflops: one.gbs };
    all.iter().enumerate().map(observed).collect()
}

/// The `remote_loss` that fits these observations with a model.
fn loss(study: &Study, observed: &[Observed], kind: ModelKind) -> Result<f64, PublishedError> {
    let mut study = study.clone();
    let given = [without_correction(kind), &[(Parameter::RemoteLoss, 0.2)]].concat();
    study.machine = with_model(&study.machine, kind, &given)?;
    let free = fit::Parameter::read(&study.machine, "sharing.remote_loss");
    let free = free.map_err(|error| PublishedError::Model(error.to_string()))?;
    let machine = fit::lowest(&study, observed, &[free], &by_solver(&study))?;
    Ok(machine.sharing().parameters.remote_loss)
}

/// The `remote_loss` that fits every point, with the default model.
///
/// # Errors
/// None, unless the data of this crate are broken.
pub(crate) fn remote_loss() -> Result<f64, PublishedError> {
    let (study, all) = measured()?;
    loss(&study, &observations(&all), ModelKind::default())
}

/// All models, plain and with a loss that was fitted to the two other points.
///
/// # Errors
/// None, unless the data of this crate are broken.
pub(crate) fn judge() -> Result<Vec<Judged>, PublishedError> {
    let (study, all) = measured()?;
    let observed = observations(&all);
    let total = |kind: ModelKind, scenario: usize, parameters: &[(Parameter, f64)]| {
        let machine = with_model(&study.machine, kind, parameters)?;
        let scenario =
            study.scenarios.get(scenario).ok_or_else(|| PublishedError::Model("no scenario".to_owned()))?;
        let predict = by_solver(&study);
        let apps = predict(&machine, scenario).map_err(PublishedError::Model)?;
        Ok::<f64, PublishedError>(apps.iter().sum())
    };
    let set = |model: &'static str, variant: &str, figures: String, points: Vec<Point>| {
        let set = "2 x Xeon Max 9462, local and remote readers of HBM".to_owned();
        let points = points.into_iter().map(|point| (false, point));
        Judged {
            role: Role::Tests,
            traffic: "reads".to_owned(),
            write_allocate: "none",
            figures,
            ..Judged::new(Part::CoRun, set, (model, variant), points)
        }
    };
    let points = |predicted: &dyn Fn(usize, &Experiment) -> Result<f64, PublishedError>| {
        let point = |(place, one): (usize, &Experiment)| {
            Ok(Point { name: one.name.clone(), measured: one.gbs, predicted: predicted(place, one)? })
        };
        all.iter().enumerate().map(point).collect::<Result<Vec<Point>, PublishedError>>()
    };
    // Every thread draws its stand-alone bandwidth, those of a link together no more than it; and the whole controller.
    let figures = study.machine.nodes().first().map(|node| (node.bandwidth.value(), node.core_bandwidth));
    let (controller, core) = figures.unwrap_or_default();
    let core = core.map_or(f64::INFINITY, GigabytesPerSecond::value);
    let link = study.machine.link(NodeId(1), NodeId(0)).map_or(0.0, GigabytesPerSecond::value);
    let alone = |_: usize, one: &Experiment| {
        let local = (f64::from(one.local) * core).min(controller);
        Ok(local + (f64::from(one.remote) * core).min(link))
    };
    let mut judged = vec![
        set(NO_SHARING, NO_FIT, String::new(), points(&alone)?),
        set(EQUAL_PARTS, NO_FIT, String::new(), points(&|_, _| Ok(controller))?),
    ];
    for kind in ModelKind::ALL {
        if let Some(advised) = super::advised(kind) {
            judged.push(set(
                kind.as_str(),
                ADVISED,
                String::new(),
                points(&|place, _| total(kind, place, advised))?,
            ));
        }
        let hard = without_correction(kind);
        let (mut plain, mut corrected, mut losses) = (Vec::new(), Vec::new(), Vec::new());
        for (place, one) in all.iter().enumerate() {
            let others: Vec<Observed> =
                observed.iter().filter(|other| other.scenario != place).copied().collect();
            let loss = loss(&study, &others, kind)?;
            losses.push(loss);
            let point = |predicted| Point { name: one.name.clone(), measured: one.gbs, predicted };
            plain.push(point(total(kind, place, hard)?));
            corrected.push(point(total(kind, place, &[hard, &[(Parameter::RemoteLoss, loss)]].concat())?));
        }
        judged.push(set(kind.as_str(), NO_FIT, String::new(), plain));
        let figures = in_words(losses.iter().map(|&loss| ("remote_loss", loss)));
        judged.push(set(kind.as_str(), "remote_loss of the others", figures, corrected));
    }
    Ok(judged)
}
