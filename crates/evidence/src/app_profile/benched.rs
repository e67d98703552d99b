//! The result of `numasim bench`: GFLOPS and GB/s of each repetition, and the data placement of each thread.

use numasim_model::machine::MAX_NODES;
use numasim_study::{Place, Problem, ProblemKind};

use super::placement::Look;
use crate::compare::{Measured, read_measured};
use crate::formats::counted::Kind;
use crate::formats::counted::{Amount, Run};
use numasim_study::csv::{Rows, shown};

/// The caveat that no memory controller counted the traffic.
const COUNTED: &str =
    "bytes are those that the kernel counts, not those of memory controllers: what caches keep is among them";

/// The values of one application in a CSV.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Benched {
    /// The application.
    pub app: String,
    /// One per repetition; rates of the timed window, as amounts of one second. Threads are known only if no
    /// other application ran at the same time, so that only those runs show its scaling.
    pub runs: Vec<Run>,
    /// For each node with threads, the placement of their data; empty if the file does not contain it.
    pub looks: Vec<Look>,
}

/// Reads a measured CSV. `app` selects one of several applications; `nodes` is the number of nodes, if a
/// machine file gives it.
///
/// # Errors
/// Those of [`read_measured`], an unknown application, several applications without a name, or an invalid
/// column `data`.
pub fn read_benched(text: &str, app: Option<&str>, nodes: Option<usize>) -> Result<Benched, Vec<Problem>> {
    let read = read_measured(text)?;
    let mut names: Vec<&str> = read.measured.iter().filter_map(|one| one.app.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    let listed = names.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ");
    let refused = |message: String, hint: String| {
        vec![Problem::new(ProblemKind::UnknownName, message).at(Place::whole(0), "").hint(hint)]
    };
    let app = match (app, names.as_slice()) {
        (Some(app), _) if names.contains(&app) => app.to_owned(),
        (Some(app), _) => {
            let message = format!("there is no application '{}' in these measurements", shown(app));
            return Err(refused(message, format!("they have {listed}")));
        }
        (None, [only]) => (*only).to_owned(),
        (None, []) => {
            let message = "these are measurements of whole scenarios, not of an application".to_owned();
            return Err(refused(
                message,
                "give a CSV with a name in the column `app`, as numasim bench writes it".to_owned(),
            ));
        }
        (None, _) => {
            let message = format!("these are measurements of {} applications", names.len());
            return Err(refused(message, format!("choose one with --app: {listed}")));
        }
    };
    let of_app = |one: &&Measured| one.app.as_deref() == Some(&app);
    let mut runs = Vec::new();
    for measured in read.measured.iter().filter(of_app) {
        let alone = !read
            .measured
            .iter()
            .any(|other| other.scenario == measured.scenario && !of_app(&other) && other.app.is_some());
        let threads = measured.threads.values().fold(0_u32, |sum, &threads| sum.saturating_add(threads));
        let mut doubts = vec![COUNTED.to_owned()];
        doubts.extend(
            measured.doubts.iter().map(|code| format!("its measurements have the doubt `{}`", shown(code))),
        );
        runs.extend(measured.repetitions.iter().map(|one| {
            let rate = |value: f64, kind: Kind, source: &str| Amount {
                value: value * 1e9,
                kind,
                source: source.to_owned(),
            };
            Run {
                file: String::new(),
                threads: (alone && threads > 0).then_some(threads),
                nodes: u32::try_from(measured.threads.values().filter(|&&threads| threads > 0).count())
                    .ok()
                    .filter(|&nodes| nodes > 0),
                flop: Some(rate(one.gflops.value(), Kind::Measured, "GFLOPS")),
                bytes: one.bandwidth.map(|bandwidth| {
                    rate(bandwidth.value(), Kind::Estimated, "GB/s that the kernel counted")
                }),
                part: None,
                seconds: Some(1.0),
                doubts: std::mem::take(&mut doubts),
            }
        }));
    }
    Ok(Benched { looks: looks(text, &app, nodes).map_err(|problem| vec![problem])?, app, runs })
}

/// A node, and the share of the data or threads there.
type Share = (usize, f64);

/// The data placement of the threads of each node: the column `data`, `0:60 1:40`.
fn looks(text: &str, app: &str, nodes: Option<usize>) -> Result<Vec<Look>, Problem> {
    let mut rows = Rows::new(text)?;
    let columns = ["app", "node", "threads", "data"].map(|name| rows.column(name));
    let [Some(of_app), Some(node), Some(threads), Some(data)] = columns else { return Ok(Vec::new()) };
    let mut known: Vec<(usize, f64, Vec<Share>)> = Vec::new();
    while let Some(row) = rows.next() {
        let row = row?;
        if row.text(Some(of_app)) != app || row.text(Some(data)).is_empty() {
            continue;
        }
        let own = row.whole_number(node, 0, "the number of a node")? as usize;
        let count = f64::from(row.whole_number(threads, 0, "a number of threads")?);
        let shares: Option<Vec<Share>> = row.text(Some(data)).split_whitespace().map(share).collect();
        let Some(shares) = shares.filter(|_| own < MAX_NODES) else {
            let message = format!("`data` is '{}'", shown(row.text(Some(data))));
            let problem = row.problem(data, ProblemKind::BadValue, message);
            return Err(
                problem.hint("write node:percent for each node with data, joined by spaces: 0:60 1:40")
            );
        };
        let look = (own, count, shares);
        if count > 0.0 && !known.contains(&look) {
            known.push(look);
        }
    }
    let most =
        known.iter().flat_map(|(own, _, shares)| shares.iter().map(|share| share.0).chain([*own])).max();
    let Some(most) = most else { return Ok(Vec::new()) };
    let count = nodes.unwrap_or(0).max(most + 1);
    let on = |shares: &[Share]| {
        let mut all = vec![0.0; count];
        for &(node, share) in shares {
            all[node] += share;
        }
        all
    };
    Ok(known
        .iter()
        .filter_map(|(own, threads, shares)| Look::of(&on(shares), Some(&on(&[(*own, *threads)]))))
        .collect())
}

/// `0:60`.
fn share(text: &str) -> Option<Share> {
    let (node, percent) = text.split_once(':')?;
    let node = node.parse::<usize>().ok().filter(|&node| node < MAX_NODES)?;
    let percent = percent.parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent))?;
    Some((node, percent))
}

#[cfg(test)]
mod tests {
    use numasim_model::{NodeId, Placement};

    use super::super::placement::{Verdict, classify};
    use super::*;

    const HEAD: &str = "scenario,app,node,repetition,threads,data,bandwidth_gbs,gflops,status\n";

    #[test]
    fn repetitions_and_the_data_of_each_node_are_read() {
        let text = format!(
            "{HEAD}even,a,0,1,2,0:100,10,5,ok\neven,a,1,1,2,0:100,6,3,ok\neven,a,0,2,2,0:100,10,5,ok\neven,a,1,2,2,0:100,4,2,ok\n\
             both,a,0,1,1,0:100,4,2,ok\nboth,b,0,1,1,0:100,4,2,ok\n"
        );
        let found = read_benched(&text, Some("a"), None).expect("in order");
        // 8 / 16, 7 / 14 and 2 / 4
        let intensities: Vec<_> = found.runs.iter().map(Run::intensity).collect();
        assert_eq!(intensities, [Some(0.5); 3]);
        assert_eq!(found.runs.iter().map(|run| run.threads).collect::<Vec<_>>(), [Some(4), Some(4), None]);
        // Threads of both nodes read node 0.
        let Some(Verdict::Told { best, .. }) = classify(&found.looks) else { panic!("{:?}", found.looks) };
        assert_eq!(best.placement, Placement::Home(NodeId(0)));
    }

    #[test]
    fn several_applications_need_a_name() {
        let text = "scenario,app,gflops\nx,a,1\nx,b,2\n";
        let said = |app: Option<&str>, text: &str| {
            read_benched(text, app, None).expect_err("refused")[0].message.clone()
        };
        assert_eq!(said(None, text), "these are measurements of 2 applications");
        assert_eq!(said(Some("c"), text), "there is no application 'c' in these measurements");
        assert_eq!(
            said(None, "scenario,app,gflops\nx,,1\n"),
            "these are measurements of whole scenarios, not of an application"
        );
        assert_eq!(said(None, &format!("{HEAD}even,a,0,1,2,local,10,5,ok\n")), "`data` is 'local'");
    }
}
