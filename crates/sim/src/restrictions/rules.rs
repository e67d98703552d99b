//! The rules for an allocation. Each constraint is defined once, for a whole allocation and for the cells of a change.

use std::num::NonZeroU32;

use numasim_model::{Allocation, App, AppId, Machine, Node, NodeId};

/// Constraints of a search. They combine; the default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// An application has the same number of threads on every node that has cores and may hold them.
    pub same_on_every_node: bool,
    /// At most one application has threads on a node.
    pub whole_nodes: bool,
    /// Fewest threads of each application on every node that has cores and may hold them.
    pub min_threads_per_node: u32,
    /// Every core runs a thread.
    pub no_idle_cores: bool,
    /// At most one application has threads in an L3 domain.
    pub whole_l3: bool,
}

/// A constraint that an allocation breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// More threads than cores on a node.
    TooManyThreads,
    /// Threads of an application on a node outside its `nodes`.
    ForbiddenNode,
    /// Fewer threads of an application on a node than [`Restrictions::min_threads_per_node`].
    TooFewOnNode,
    /// Several applications on a node, which [`Restrictions::whole_nodes`] forbids.
    SharedNode,
    /// A core without a thread, which [`Restrictions::no_idle_cores`] forbids.
    IdleCores,
    /// Fewer threads of an application than its `min_threads`.
    BelowMinThreads,
    /// More threads of an application than its `max_threads`.
    AboveMaxThreads,
    /// A number of threads on a node that the application cannot use there ([`numasim_model::Placing::takes`]).
    NotTaken,
    /// Another application on a node that one application needs exclusively.
    NotExclusive,
    /// Threads of an application on more nodes than its [`numasim_model::Placing::max_nodes`].
    TooManyNodes,
}

/// Whether a node may hold threads of an application; all nodes may if the application does not list any.
pub(crate) fn may_hold(app: &App, node: NodeId) -> bool {
    app.nodes.as_ref().is_none_or(|nodes| nodes.binary_search(&node).is_ok())
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The name of the first application for which `is` is true.
fn first_name(apps: &[App], is: impl FnMut(&(usize, &App)) -> bool) -> &str {
    apps.iter().enumerate().find(is).map_or("", |(_, app)| app.name.as_str())
}

impl Restrictions {
    /// Whether `allocation` satisfies the constraints, the threads of each application and the cores of each node.
    pub fn allow(&self, machine: &Machine, apps: &[App], allocation: &Allocation) -> bool {
        self.violation(machine, apps, allocation).is_none()
    }

    /// Whether `node` may hold these threads of each application. A node without cores holds none, and no other rule applies to it.
    pub(crate) fn on_node(
        &self,
        machine: &Machine,
        apps: &[App],
        node: NodeId,
        threads: impl Iterator<Item = u32> + Clone,
    ) -> Result<(), Broken> {
        let cores = machine.node(node).cores;
        let used: u64 = threads.clone().map(u64::from).sum();
        if used > u64::from(cores) {
            return Err(Broken::TooManyThreads);
        }
        if cores == 0 {
            return Ok(());
        }
        for (app, threads) in apps.iter().zip(threads.clone()) {
            let allowed = may_hold(app, node);
            if threads > 0 && !allowed {
                return Err(Broken::ForbiddenNode);
            }
            if threads < self.least_on_node(app) && allowed {
                return Err(Broken::TooFewOnNode);
            }
            if !app.placing.takes(threads) {
                return Err(Broken::NotTaken);
            }
        }
        let shared = threads.clone().filter(|&threads| threads > 0).count() > 1;
        if self.whole_nodes && shared {
            return Err(Broken::SharedNode);
        }
        if shared && apps.iter().zip(threads).any(|(app, threads)| app.placing.exclusive && threads > 0) {
            return Err(Broken::NotExclusive);
        }
        if self.no_idle_cores && used < u64::from(cores) {
            return Err(Broken::IdleCores);
        }
        Ok(())
    }

    /// Fewest cores of an application on every node that has cores and may hold it.
    pub(crate) fn least_on_node(&self, app: &App) -> u32 {
        app.smt.cores(self.min_threads_per_node)
    }

    /// Whether an application may have `total` threads on the whole machine.
    pub(crate) fn in_all(app: &App, total: u64) -> Result<(), Broken> {
        if total < u64::from(app.min_threads) {
            return Err(Broken::BelowMinThreads);
        }
        if app.max_threads.is_some_and(|max| total > u64::from(max)) {
            return Err(Broken::AboveMaxThreads);
        }
        Ok(())
    }

    /// Whether an application may have threads on all the nodes that it uses in `allocation`.
    pub(crate) fn on_nodes(app: &App, allocation: &Allocation, id: AppId) -> Result<(), Broken> {
        let Some(most) = app.placing.max_nodes else { return Ok(()) };
        let used = (0..allocation.nodes()).filter(|&node| allocation.get(id, NodeId(node)) > 0).count();
        if used > most { Err(Broken::TooManyNodes) } else { Ok(()) }
    }

    /// The first constraint that `allocation` breaks, in words.
    pub fn violation(&self, machine: &Machine, apps: &[App], allocation: &Allocation) -> Option<String> {
        if allocation.apps() != apps.len() || allocation.nodes() != machine.node_count() {
            return Some("it is for another machine or other applications".to_owned());
        }
        if let Err(error) = allocation.fits(machine) {
            return Some(error.to_string());
        }
        for (a, app) in apps.iter().enumerate() {
            let total = allocation.total(AppId(a));
            match Self::in_all(app, total) {
                Err(Broken::BelowMinThreads) => {
                    return Some(format!("{} has {total} threads, fewer than its min_threads", app.name));
                }
                Err(_) => {
                    return Some(format!("{} has {total} threads, more than its max_threads", app.name));
                }
                Ok(()) => {}
            }
            if let (Err(_), Some(most)) = (Self::on_nodes(app, allocation, AppId(a)), app.placing.max_nodes) {
                return Some(format!("{} has threads on more than {most} nodes", app.name));
            }
        }
        for node in machine.compute_nodes() {
            let threads = (0..apps.len()).map(|a| allocation.get(AppId(a), node));
            match self.on_node(machine, apps, node, threads) {
                Err(Broken::SharedNode) => return Some(format!("several applications share {node}")),
                Err(Broken::NotTaken) => {
                    let strange =
                        |(a, app): &(usize, &App)| !app.placing.takes(allocation.get(AppId(*a), node));
                    let name = first_name(apps, strange);
                    return Some(format!(
                        "{name} has a number of threads on {node} that it may not have there"
                    ));
                }
                Err(Broken::NotExclusive) => {
                    let owner = |(a, app): &(usize, &App)| {
                        app.placing.exclusive && allocation.get(AppId(*a), node) > 0
                    };
                    return Some(format!("{} is not alone on {node}", first_name(apps, owner)));
                }
                Err(Broken::IdleCores) => return Some(format!("{node} has idle cores")),
                Err(Broken::TooManyThreads) => return Some(format!("{node} has more threads than cores")),
                Err(Broken::ForbiddenNode) => {
                    let guest = |(a, app): &(usize, &App)| {
                        allocation.get(AppId(*a), node) > 0 && !may_hold(app, node)
                    };
                    let name = first_name(apps, guest);
                    return Some(format!("{name} has threads on {node}, which is not one of its nodes"));
                }
                Err(_) => return Some(format!("{node} has fewer threads of an application than required")),
                Ok(()) => {}
            }
        }
        if self.same_on_every_node {
            for (a, app) in apps.iter().enumerate() {
                let nodes = machine.compute_nodes().filter(|&node| may_hold(app, node));
                let mut counts = nodes.map(|node| allocation.get(AppId(a), node));
                let first = counts.next();
                if counts.any(|threads| Some(threads) != first) {
                    return Some(format!("{} differs between nodes", app.name));
                }
            }
        }
        if self.ask_of_domains(apps) { self.violation_in_domains(machine, apps, allocation) } else { None }
    }

    /// Whether the L3 domain of a thread matters to these constraints or to requirements of applications.
    pub fn ask_of_domains(&self, apps: &[App]) -> bool {
        let asks = |app: &App| app.placing.per_l3.is_some() || app.placing.max_l3.is_some();
        self.whole_l3 || apps.iter().any(asks)
    }

    /// The consequences of constraints on L3 domains for nodes. They are equivalent if each node is one domain.
    pub(crate) fn by_nodes(&self, machine: &Machine, apps: &[App]) -> (Self, Vec<App>) {
        let nodes = || machine.compute_nodes().map(|node| machine.node(node));
        let domains = u32::try_from(nodes().map(Node::domains).max().unwrap_or(1)).unwrap_or(u32::MAX);
        // In threads, like the requests of applications.
        let cores = nodes().map(Node::domain_cores).max().unwrap_or(0) * machine.threads_per_core();
        let of_app = |app: &App| {
            let mut app = app.clone();
            let placing = &mut app.placing;
            let each = placing.per_l3.take();
            if let Some(each) = each {
                let step = placing.multiple_of.map_or(1, NonZeroU32::get);
                let both = u64::from(step) / u64::from(gcd(step, each.get())) * u64::from(each.get());
                let most = each.get().saturating_mul(domains);
                let ranges = placing.per_node.take().unwrap_or_else(|| vec![(1, most)]);
                let below = ranges.into_iter().map(|(least, end)| (least, end.min(most)));
                placing.per_node = Some(below.filter(|(least, end)| least <= end).collect());
                placing.multiple_of = NonZeroU32::new(u32::try_from(both).unwrap_or(u32::MAX));
            }
            if let Some(most) = placing.max_l3.take() {
                placing.max_nodes = Some(placing.max_nodes.map_or(most, |nodes| nodes.min(most)));
                let each = each.map_or(cores, NonZeroU32::get);
                let held = each.saturating_mul(u32::try_from(most).unwrap_or(u32::MAX));
                app.max_threads = Some(app.max_threads.map_or(held, |max| max.min(held)));
            }
            app
        };
        let whole_nodes = self.whole_nodes || (self.whole_l3 && domains == 1);
        (Self { whole_nodes, whole_l3: false, ..*self }, apps.iter().map(of_app).collect())
    }

    /// The first rule of L3 domains that is broken.
    fn violation_in_domains(
        &self,
        machine: &Machine,
        apps: &[App],
        allocation: &Allocation,
    ) -> Option<String> {
        let per_l3 = allocation.per_l3(machine);
        for node in machine.compute_nodes() {
            for domain in 0..machine.node(node).domains() {
                let threads = |a: usize| per_l3[a][node.0].get(domain).copied().unwrap_or(0);
                if self.whole_l3 && (0..apps.len()).filter(|&a| threads(a) > 0).count() > 1 {
                    return Some(format!("several applications share L3 domain {domain} of {node}"));
                }
                let strange = |(a, app): &(usize, &App)| {
                    app.placing.per_l3.is_some_and(|number| ![0, number.get()].contains(&threads(*a)))
                };
                if apps.iter().enumerate().any(|one| strange(&one)) {
                    let name = first_name(apps, strange);
                    return Some(format!(
                        "{name} has a number of threads in L3 domain {domain} of {node} that it may not have there"
                    ));
                }
            }
        }
        for (app, nodes) in apps.iter().zip(per_l3.iter()) {
            let used = nodes.iter().flatten().filter(|&&threads| threads > 0).count();
            if let Some(most) = app.placing.max_l3.filter(|&most| used > most) {
                return Some(format!("{} has threads in more than {most} L3 domains", app.name));
            }
        }
        None
    }

    /// The active constraints, as people would write them.
    pub fn describe(&self, apps: &[App]) -> Vec<String> {
        let mut words = Vec::new();
        if self.same_on_every_node {
            words.push("--same-on-every-node".to_owned());
        }
        if self.whole_nodes {
            words.push("--whole-nodes".to_owned());
        }
        if self.min_threads_per_node > 0 {
            words.push(format!("--min-threads-per-node {}", self.min_threads_per_node));
        }
        if self.no_idle_cores {
            words.push("--no-idle-cores".to_owned());
        }
        if self.whole_l3 {
            words.push("--whole-l3".to_owned());
        }
        if apps.iter().any(|app| app.min_threads > 0) {
            words.push("min_threads".to_owned());
        }
        if apps.iter().any(|app| app.max_threads.is_some()) {
            words.push("max_threads".to_owned());
        }
        if apps.iter().any(|app| app.nodes.is_some()) {
            words.push("nodes".to_owned());
        }
        words.extend(describe(apps));
        if apps.iter().any(|app| app.memory.is_some()) {
            words.push("memory_gib".to_owned());
        }
        words
    }
}

// The placement requirements of applications, beyond numbers of threads and nodes, in words.

/// The active constraints, as people would write them: instances of a group with the same requirements are named together.
pub(super) fn describe(apps: &[App]) -> Vec<String> {
    let mut words = Vec::new();
    let multiple = |app: &App| app.placing.multiple_of.map(|step| format!("={step}"));
    words.extend(named("--threads-multiple", apps, multiple));
    words.extend(named("--max-nodes", apps, |app| app.placing.max_nodes.map(|most| format!("={most}"))));
    let per_l3 = |app: &App| app.placing.per_l3.map(|number| format!("={number}"));
    words.extend(named("--threads-per-l3", apps, per_l3));
    words.extend(named("--max-l3", apps, |app| app.placing.max_l3.map(|most| format!("={most}"))));
    words.extend(named("--exclusive", apps, |app| app.placing.exclusive.then(String::new)));
    words
}

fn named(option: &str, apps: &[App], asked: impl Fn(&App) -> Option<String>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for group in apps.chunk_by(|a, b| a.group == b.group) {
        let first = asked(&group[0]);
        if group.iter().all(|app| asked(app) == first) {
            words.extend(first.map(|value| format!("{option} {}{value}", group[0].group)));
        } else {
            let own = |app: &App| asked(app).map(|value| format!("{option} {}{value}", app.name));
            words.extend(group.iter().filter_map(own));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use numasim_model::units::GigabytesPerSecond;

    use super::*;
    use crate::testing::{local_app, uniform_machine};

    /// Two nodes with 4 cores and one without; the second application may not use node 1.
    fn on(node: usize, restrictions: Restrictions, threads: [u32; 2]) -> Result<(), Broken> {
        let machine = uniform_machine(2, 4, 10.0, 32.0, 10.0);
        let cores = |cores: u32| Node { cores, ..machine.nodes()[0] };
        let links = vec![GigabytesPerSecond::new(10.0); 9];
        let machine = Machine::new("three", vec![cores(4), cores(4), cores(0)], links).expect("a machine");
        let mut apps = [local_app("a", 1.0), local_app("b", 1.0)];
        apps[1].nodes = Some(vec![NodeId(0), NodeId(2)]);
        restrictions.on_node(&machine, &apps, NodeId(node), threads.into_iter())
    }

    fn on_node(restrictions: Restrictions, threads: [u32; 2]) -> Result<(), Broken> {
        on(0, restrictions, threads)
    }

    #[test]
    fn each_constraint_applies_to_a_node_of_four_cores() {
        let free = Restrictions::default();
        assert_eq!(on_node(free, [4, 0]), Ok(()));
        assert_eq!(on_node(free, [3, 2]), Err(Broken::TooManyThreads));
        let minimum = Restrictions { min_threads_per_node: 1, ..free };
        assert_eq!(on_node(minimum, [4, 0]), Err(Broken::TooFewOnNode));
        let whole = Restrictions { whole_nodes: true, ..free };
        assert_eq!(on_node(whole, [1, 1]), Err(Broken::SharedNode));
        let full = Restrictions { no_idle_cores: true, ..free };
        assert_eq!(on_node(full, [1, 2]), Err(Broken::IdleCores));
        assert_eq!(on(2, full, [0, 0]), Ok(()), "a node without cores has none idle");
        assert_eq!(on(1, free, [1, 1]), Err(Broken::ForbiddenNode));
        assert_eq!(on(1, minimum, [1, 0]), Ok(()), "nothing is asked of who may not be there");
    }

    #[test]
    fn threads_of_an_application_stay_in_its_range() {
        let app = App { min_threads: 2, max_threads: Some(3), ..local_app("a", 1.0) };
        assert_eq!(Restrictions::in_all(&app, 1), Err(Broken::BelowMinThreads));
        assert_eq!(Restrictions::in_all(&app, 3), Ok(()));
        assert_eq!(Restrictions::in_all(&app, 4), Err(Broken::AboveMaxThreads));
    }

    #[test]
    fn an_allocation_of_another_shape_is_rejected() {
        let machine = uniform_machine(2, 4, 10.0, 32.0, 10.0);
        let apps = [local_app("a", 1.0)];
        let restrictions = Restrictions::default();
        assert!(restrictions.allow(
            &machine,
            &apps,
            &Allocation::from_rows(&[vec![1, 0]]).expect("equal rows")
        ));
        assert!(!restrictions.allow(
            &machine,
            &apps,
            &Allocation::from_rows(&[vec![1]]).expect("equal rows")
        ));
    }
}

#[cfg(test)]
mod tests_of_words {
    use super::*;
    use crate::testing::local_app;

    #[test]
    fn instances_with_equal_requirements_are_named_together() {
        let of = |name: &str| App { group: "mem".to_owned(), ..local_app(name, 1.0) };
        let mut apps = [of("mem-1"), of("mem-2"), local_app("other", 1.0)];
        apps[2].placing.exclusive = true;
        for app in &mut apps[..2] {
            app.placing.multiple_of = NonZeroU32::new(4);
        }
        apps[1].placing.max_nodes = Some(2);
        assert_eq!(describe(&apps), ["--threads-multiple mem=4", "--max-nodes mem-2=2", "--exclusive other"]);
    }
}
