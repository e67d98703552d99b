//! Files that were read successfully but do not answer the question, shown with the location of the cause.

use numasim_course::{CoursePlaces, Study};
use numasim_model::demand::Undecided;
use numasim_model::memory::MemoryFull;
use numasim_model::{AppId, OpenData, Placement, Scenario};
use numasim_sim::objective::GoalError;
use numasim_sim::{Infeasible, ProblemError};
use numasim_study::{AppPlaces, Group, Place, Places, Problem, ProblemKind, SourceFile};

use crate::reading::Reading;
use crate::refusal::Refusal;
use crate::{room, suggest};

/// A question that needs a decided home node, in words.
pub struct HomeNeeded<'a> {
    /// The rest of a sentence: the home of the data is open (or its fractions are), and ...
    pub message: &'a str,
    /// Why the scenario is shown.
    pub in_scenario: &'a str,
    /// Advice for an application, by its key in TOML.
    pub hint: &'a dyn Fn(&str, OpenData) -> String,
}

/// Locations of the contents of the files.
#[derive(Debug)]
pub struct Located {
    groups: Vec<Group>,
    places: Places,
    over_time: numasim_course::Places,
    sources: Vec<SourceFile>,
}

impl Located {
    /// The study and its locations in the files.
    pub fn split(reading: Reading, sources: Vec<SourceFile>) -> (Study, Self) {
        let Reading { study, further, groups, places, .. } = reading;
        (study, Self { groups, places, over_time: further.over_time, sources })
    }

    /// Rejects scenarios in which an application with an open home has threads, and those with data that does not fit.
    ///
    /// # Errors
    /// Each of these problems, with its location.
    pub fn can_be_evaluated(&self, study: &Study, scenarios: &[&Scenario]) -> Result<(), Refusal> {
        self.homes_are_given(study, scenarios)?;
        self.smt_is_given(study, scenarios)?;
        let problems: Vec<Problem> =
            scenarios.iter().filter_map(|scenario| self.no_room(study, scenario)).collect();
        if problems.is_empty() { Ok(()) } else { Err(self.refusal(&problems)) }
    }

    /// A node whose memory is too small for the data of a scenario.
    fn no_room(&self, study: &Study, scenario: &Scenario) -> Option<Problem> {
        let full = room::full(study, scenario, &scenario.placements().ok()?)?;
        let number = study.scenarios.iter().position(|one| one.name == scenario.name)?;
        let place = &self.places.scenarios.get(number)?.name;
        let message = format!("scenario `{}` does not fit: {}", scenario.name, room::words(study, &full));
        let problem = Problem::new(ProblemKind::Infeasible, message)
            .at(place.clone(), "too much data for a memory")
            .hint(room::hint());
        Some(match self.size_of_largest_part(study, &full) {
            Some(size) => problem.related(size, "the size of the largest part"),
            None => problem,
        })
    }

    /// The same problem if no scenario defines the number of threads.
    pub fn too_much_data(&self, study: &Study, full: &MemoryFull, message: &str) -> Option<Refusal> {
        let size = self.size_of_largest_part(study, full)?;
        let problem = Problem::new(ProblemKind::Infeasible, message.to_owned())
            .at(size, "the size of the largest part")
            .hint(room::hint());
        Some(self.refusal(&[problem]))
    }

    /// The location of the size of the largest part of the data on a full node.
    fn size_of_largest_part(&self, study: &Study, full: &MemoryFull) -> Option<Place> {
        // `max_by` returns the last of equal elements.
        let (app, _) = full.apps.iter().rev().max_by(|a, b| a.1.value().total_cmp(&b.1.value()))?;
        self.app(&study.apps[app.0].group).and_then(|(_, places)| places.memory_gib.clone())
    }

    /// Rejects scenarios in which an application with open data has threads.
    ///
    /// # Errors
    /// Each of these problems, with its location.
    pub fn homes_are_given(&self, study: &Study, scenarios: &[&Scenario]) -> Result<(), Refusal> {
        let open = scenarios.iter().flat_map(|scenario| {
            let apps = (0..study.apps.len()).map(AppId);
            apps.filter_map(|app| Some((Some(*scenario), app, scenario.reads_open_data(app)?)))
        });
        let hint = |app: &str, open: OpenData| {
            format!(
                "{} in the scenario, e.g. `data = {{ {app} = {} }}`, or let `numasim explore` find {}",
                open.deciding(),
                open.example(),
                open.best(),
            )
        };
        let needed = HomeNeeded {
            message: "evaluate does not choose",
            in_scenario: "evaluated in this scenario",
            hint: &hint,
        };
        self.homes_are_needed(study, open, &needed)
    }

    /// Rejects scenarios in which an application with an open `smt` has threads.
    fn smt_is_given(&self, study: &Study, scenarios: &[&Scenario]) -> Result<(), Refusal> {
        let mut problems: Vec<Problem> = Vec::new();
        for scenario in scenarios {
            for app in (0..study.apps.len()).map(AppId).filter(|&app| scenario.has_open_smt(app)) {
                let group = &study.apps[app.0].group;
                let number = study.scenarios.iter().position(|one| one.name == scenario.name);
                let in_scenario = number.and_then(|number| Some(&self.places.scenarios.get(number)?.name));
                let of_app = self.app(group).and_then(|(_, places)| places.smt.as_ref());
                let Some(place) = of_app.or(in_scenario) else { continue };
                if problems.iter().any(|known| known.place.as_ref() == Some(place)) {
                    continue; // another instance or scenario with the same line as its cause
                }
                let message = format!("`smt` of `{group}` is open, and evaluate does not choose");
                let problem = Problem::new(ProblemKind::BadValue, message).at(place.clone(), "one or both");
                let problem = match in_scenario {
                    Some(named) => problem.related(named.clone(), "evaluated in this scenario"),
                    None => problem,
                };
                problems.push(problem.hint(smt_hint(group)));
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(self.refusal(&problems)) }
    }

    /// Rejects these applications, each with open data, in a scenario or in the files themselves.
    ///
    /// # Errors
    /// Each of these problems, with its location.
    pub fn homes_are_needed<'a>(
        &self,
        study: &Study,
        open: impl Iterator<Item = (Option<&'a Scenario>, AppId, OpenData)>,
        needed: &HomeNeeded<'_>,
    ) -> Result<(), Refusal> {
        let mut problems: Vec<Problem> = Vec::new();
        for (scenario, app, open) in open {
            let Some((place, named)) = self.open_data(study, scenario, app) else { continue };
            if problems.iter().any(|known| known.place.as_ref() == Some(place)) {
                continue; // another instance or scenario with the same line as its cause
            }
            let group = &study.apps[app.0].group;
            let message = format!("{}, and {}", open.said_of(&format!("`{group}`")), needed.message);
            let problem = Problem::new(ProblemKind::BadValue, message).at(place.clone(), open.any());
            let problem = match named {
                Some(named) => problem.related(named.clone(), needed.in_scenario),
                None => problem,
            };
            problems.push(problem.hint((needed.hint)(&suggest::key(group), open)));
        }
        if problems.is_empty() { Ok(()) } else { Err(self.refusal(&problems)) }
    }

    /// The location of the open data of an application, and the name of the scenario if a scenario leaves the data open.
    fn open_data(
        &self,
        study: &Study,
        scenario: Option<&Scenario>,
        app: AppId,
    ) -> Option<(&Place, Option<&Place>)> {
        let (name, group) = (&study.apps[app.0].name, &study.apps[app.0].group);
        let of_app = || self.app(group)?.1.data.as_ref();
        let Some(scenario) = scenario else { return Some((of_app()?, None)) };
        let number = study.scenarios.iter().position(|one| one.name == scenario.name)?;
        let in_scenario = self.places.scenarios.get(number)?;
        let place = in_scenario.data_of(name, group).or_else(of_app)?;
        Some((place, Some(&in_scenario.name)))
    }

    /// A refusal of the question, if its cause is one line of the files.
    pub fn refused(&self, study: &Study, error: &ProblemError) -> Option<Refusal> {
        let problems = match error {
            ProblemError::Goal(GoalError::MissingWork(names)) => self.missing_work(study, names),
            ProblemError::Infeasible(error @ Infeasible::MinThreads { .. }) => {
                self.min_threads(study, error).into_iter().collect()
            }
            _ => Vec::new(),
        };
        (!problems.is_empty()).then(|| self.refusal(&problems))
    }

    /// One problem for each `[[app]]` without the work that the makespan needs.
    fn missing_work(&self, study: &Study, names: &[String]) -> Vec<Problem> {
        let of = |name: &String| study.apps.iter().find(|app| app.name == *name);
        let mut groups: Vec<&str> = names.iter().filter_map(of).map(|app| app.group.as_str()).collect();
        groups.dedup();
        let problem = |group: &str| {
            let (_, places) = self.app(group)?;
            let message = format!("the makespan objective needs `work_gflop`, which `{group}` does not have");
            let problem = Problem::new(ProblemKind::MissingKey, message)
                .at(places.name.clone(), "this app has no `work_gflop`");
            Some(problem.hint("add e.g. `work_gflop = 1000.0`, or choose another --objective"))
        };
        groups.into_iter().filter_map(problem).collect()
    }

    /// The constraints need more threads than there are cores: reports the application that needs the most.
    fn min_threads(&self, study: &Study, error: &Infeasible) -> Option<Problem> {
        let each = |group: &Group| study.apps.get(group.first).map_or(0, |app| u64::from(app.min_threads));
        let needs = |group: &Group| each(group) * group.instances as u64;
        // Takes the first of equal needs; `max_by_key` takes the last.
        let most = self.groups.iter().rev().max_by_key(|group| needs(group))?;
        let (_, places) = self.app(&most.name)?;
        let threads = match (most.instances, each(most)) {
            (1, 1) => "1 thread".to_owned(),
            (1, each) => format!("{each} threads"),
            (instances, each) => format!("{instances} x {each} threads"),
        };
        let place = places.min_threads.as_ref().unwrap_or(&places.name);
        let by_default = if places.min_threads.is_none() { " (by default 1 each)" } else { "" };
        let problem = Problem::new(ProblemKind::Infeasible, format!("no placement is possible: {error}"))
            .at(place.clone(), format!("{threads}{by_default}, the most of all"));
        Some(problem.hint("lower `min_threads`, or remove applications"))
    }

    /// Locations of the contents of the files.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Locations of an `[[app]]`.
    pub fn app_places(&self, group: &str) -> Option<&AppPlaces> {
        self.app(group).map(|(_, places)| places)
    }

    /// Locations of the behaviour over time.
    pub fn over_time(&self) -> &numasim_course::Places {
        &self.over_time
    }

    /// Locations of the behaviour of an `[[app]]` over time.
    pub fn course_places(&self, group: &str) -> Option<&CoursePlaces> {
        let number = self.groups.iter().position(|known| known.name == group)?;
        self.over_time.apps.get(number)
    }

    /// `FILE:LINE` of a location.
    pub fn line(&self, place: &Place) -> Option<String> {
        let source = self.sources.get(place.file)?;
        let before = source.text.get(..place.span.as_ref()?.start)?;
        Some(format!("{}:{}", source.name, before.matches('\n').count() + 1))
    }

    /// The texts of the files.
    pub fn sources(&self) -> &[SourceFile] {
        &self.sources
    }

    fn app(&self, group: &str) -> Option<(&Group, &AppPlaces)> {
        self.groups.iter().zip(&self.places.apps).find(|(known, _)| known.name == group)
    }

    /// These problems, shown with their locations.
    pub fn refusal(&self, problems: &[Problem]) -> Refusal {
        Refusal::Located { problems: problems.to_vec(), sources: self.sources.clone() }
    }
}

fn smt_hint(app: &str) -> String {
    format!(
        "write it in the scenario, e.g. `smt = {{ {} = \"both\" }}`, or let `numasim explore` choose",
        suggest::key(app)
    )
}

/// The data placements of all applications. Rejects data that does not fit, and open data that some thread reads.
///
/// # Errors
/// One of these problems.
pub fn placements(study: &Study, scenario: &Scenario) -> Result<Vec<Placement>, Refusal> {
    let placements = scenario.placements().map_err(|undecided| {
        let app = &study.apps[undecided.app().0].name;
        let said = format!("scenario '{}': {}", scenario.name, undecided.said_of(&format!("'{app}'")));
        match undecided {
            Undecided::Smt(_) => {
                Refusal::said(format!("{said}, and evaluate does not choose")).hint(smt_hint(app))
            }
            Undecided::Data(_, open) => {
                let example = format!("data = {{ {} = {} }}", suggest::key(app), open.example());
                Refusal::said(format!("{said} ({}), and evaluate does not choose", open.key()))
                    .hint(format!("{} in the scenario, for example  {example}", open.deciding()))
                    .hint(format!("or let `numasim explore` find {}", open.best()))
            }
        }
    })?;
    room::check(study, scenario, &placements)?;
    Ok(placements)
}
