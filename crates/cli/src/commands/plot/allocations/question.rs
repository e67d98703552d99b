//! Who takes part in the plot: the applications of both axes, and of the rest.

use numasim_model::Study;

use crate::args::Axes;
use crate::failure::Failure;
use crate::suggest;

/// The instances that one name addresses.
pub(super) struct Addressed {
    pub(super) name: String,
    pub(super) apps: Vec<usize>,
}

impl Addressed {
    /// The instances of a name, as in `threads = { NAME = 1 }`.
    pub(super) fn new(study: &Study, name: &str) -> Result<Self, Failure> {
        let apps: Vec<usize> = (0..study.apps.len())
            .filter(|&a| study.apps[a].name == name || study.apps[a].group == name)
            .collect();
        if !apps.is_empty() {
            return Ok(Self { name: name.to_owned(), apps });
        }
        let mut known: Vec<&str> =
            study.apps.iter().flat_map(|app| [app.group.as_str(), &app.name]).collect();
        known.dedup();
        let failure = Failure::input(format!("there is no application '{name}'"));
        Err(match suggest::nearest(name, &known) {
            Some(near) => failure.hint(format!("did you mean '{near}'?")),
            None => failure.hint(format!("the applications are: {}", suggest::list(&known))),
        })
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.apps.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn title(&self) -> String {
        match self.apps.len() {
            1 => format!("threads of {} on each node", self.name),
            instances => format!("threads of each {} ({instances} instances) on each node", self.name),
        }
    }
}

/// Who takes part.
pub(super) struct Question {
    pub(super) x: Addressed,
    pub(super) y: Addressed,
    pub(super) rest: Option<Addressed>,
}

impl Question {
    pub(super) fn new(axes: &Axes, study: &Study) -> Result<Self, Failure> {
        let mut groups: Vec<&str> = study.apps.iter().map(|app| app.group.as_str()).collect();
        groups.dedup();
        let named = [&axes.x, &axes.y, &axes.rest];
        let taken = |group: &str| named.iter().any(|name| name.as_deref() == Some(group));
        let mut free = groups.iter().filter(|group| !taken(group));
        let mut choose = |name: &Option<String>| match name {
            Some(name) => Addressed::new(study, name),
            None => match free.next() {
                Some(group) => Addressed::new(study, group),
                None => Err(Failure::input("the plot needs two applications, but there are fewer")
                    .hint("add another [[app]], or name instances with --x and --y")),
            },
        };
        let (x, y) = (choose(&axes.x)?, choose(&axes.y)?);
        let rest = axes.rest.as_deref().map(|name| Addressed::new(study, name)).transpose()?;
        let all: Vec<&Addressed> = [&x, &y].into_iter().chain(&rest).collect();
        for (i, one) in all.iter().enumerate() {
            if let Some(other) = all[..i].iter().find(|other| other.apps.iter().any(|a| one.apps.contains(a)))
            {
                return Err(Failure::input(format!(
                    "'{}' and '{}' are the same application",
                    other.name, one.name
                ))
                .hint("name different ones with --x, --y and --rest"));
            }
        }
        Ok(Self { x, y, rest })
    }

    /// The applications that take part, x first, then y, then the rest.
    pub(super) fn apps(&self) -> Vec<usize> {
        [&self.x, &self.y].into_iter().chain(&self.rest).flat_map(|one| one.apps.iter().copied()).collect()
    }
}
