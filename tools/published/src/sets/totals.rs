//! Curves over cores together: each kernel and all of them, by points and by machines.

use super::scaling::Fall;
use super::{Judged, Part, Point, Role, Summary, summary};
use numasim_evidence::statistics;

/// Which curves are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// All curves.
    All,
    /// Those with this role.
    Role(Role),
    /// Curves that do not fall.
    Rising,
}

impl Of {
    /// The selections for a list: the whole, its parts if it has several roles, and the list without falling curves if it has
    /// some.
    pub(crate) fn list(judged: &[Judged]) -> Vec<Self> {
        let curves = || judged.iter().filter(|one| one.part == Part::Scaling);
        let mut list = Vec::new();
        if curves().next().is_some() {
            list.push(Self::All);
        }
        let mut roles: Vec<Role> = curves().map(|one| one.role).collect();
        roles.sort_unstable();
        roles.dedup();
        if roles.len() > 1 {
            list.extend(roles.into_iter().map(Self::Role));
        }
        if curves().any(|one| one.falls.is_some()) {
            list.push(Self::Rising);
        }
        list
    }

    /// "all curves".
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::All => "all curves",
            Self::Role(Role::Chose) => "curves that chose",
            Self::Role(Role::Tests) => "curves that test",
            Self::Role(Role::Given) => "curves given",
            Self::Rising => "curves that do not fall",
        }
    }

    fn holds(self, one: &Judged) -> bool {
        match self {
            Self::All => true,
            Self::Role(role) => one.role == role,
            Self::Rising => one.falls.is_none(),
        }
    }
}

/// Curves of a kernel, or of all, by one method.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Total {
    /// The selection of curves.
    pub(crate) of: Of,
    /// The kernel; `None`: all of them.
    pub(crate) kernel: Option<String>,
    /// The name of the model.
    pub(crate) model: &'static str,
    /// The treatment of its corrections.
    pub(crate) variant: String,
    /// The number of curves.
    pub(crate) curves: usize,
    /// All points as one set: machines with many cores count more.
    pub(crate) pooled: Summary,
    /// The mean over machines of each one's mean: all machines count alike.
    pub(crate) of_machines: f64,
    /// Each machine, by name.
    pub(crate) machines: Vec<OfMachine>,
}

/// The curves of one machine in a [`Total`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OfMachine {
    /// Its name.
    pub(crate) name: String,
    /// The use of its errors.
    pub(crate) role: Role,
    /// All its points.
    pub(crate) summary: Summary,
}

/// The totals of some curves: for each kernel by each method, then for all kernels.
pub(crate) fn totals(judged: &[Judged], of: Of) -> Vec<Total> {
    let curves: Vec<&Judged> =
        judged.iter().filter(|one| one.part == Part::Scaling && of.holds(one)).collect();
    let mut kernels: Vec<Option<&str>> = Vec::new();
    let mut methods: Vec<(&'static str, &str)> = Vec::new();
    for one in &curves {
        if !kernels.contains(&Some(one.traffic.as_str())) {
            kernels.push(Some(&one.traffic));
        }
        if !methods.contains(&(one.model, one.variant.as_str())) {
            methods.push((one.model, &one.variant));
        }
    }
    // One kernel is the total.
    if kernels.len() > 1 {
        kernels.push(None);
    }
    let total = |kernel: Option<&str>, (model, variant): (&'static str, &str)| {
        let chosen = curves.iter().copied().filter(|one| {
            (one.model, one.variant.as_str()) == (model, variant)
                && kernel.is_none_or(|kernel| one.traffic == kernel)
        });
        one_total(of, kernel, model, variant, &chosen.collect::<Vec<_>>())
    };
    let every = kernels.iter().flat_map(|&kernel| methods.iter().map(move |&method| (kernel, method)));
    every.filter_map(|(kernel, method)| total(kernel, method)).collect()
}

fn one_total(
    of: Of,
    kernel: Option<&str>,
    model: &'static str,
    variant: &str,
    curves: &[&Judged],
) -> Option<Total> {
    let points = |of: &[&Judged]| -> Vec<Point> { of.iter().flat_map(|one| one.points.clone()).collect() };
    let mut names: Vec<(&str, Role)> =
        curves.iter().filter_map(|one| Some((one.machine.as_deref()?, one.role))).collect();
    names.sort_unstable();
    names.dedup();
    let machine = |(name, role): (&str, Role)| {
        let own: Vec<&Judged> =
            curves.iter().copied().filter(|one| one.machine.as_deref() == Some(name)).collect();
        Some(OfMachine { name: name.to_owned(), role, summary: summary(&points(&own))? })
    };
    let machines: Vec<OfMachine> = names.into_iter().filter_map(machine).collect();
    let means: Vec<f64> = machines.iter().map(|one| one.summary.mean).collect();
    Some(Total {
        of,
        kernel: kernel.map(str::to_owned),
        model,
        variant: variant.to_owned(),
        curves: curves.len(),
        pooled: summary(&points(curves))?,
        of_machines: statistics::mean(&means)?,
        machines,
    })
}

/// Curves that fall: kernel, set, and the fall. Each appears once, for any number of methods.
pub(crate) fn falling(judged: &[Judged]) -> Vec<(&str, &str, Fall)> {
    let mut all: Vec<(&str, &str, Fall)> = Vec::new();
    for one in judged {
        if let Some(fall) = one.falls
            && !all.iter().any(|(kernel, set, _)| (*kernel, *set) == (&one.traffic, &one.set))
        {
            all.push((&one.traffic, &one.set, fall));
        }
    }
    all
}
