//! Graphs in the DOT language: a task for each node, a block for each edge.
//!
//! Attributes of a node: `flop`, or `size` (as in the examples of SimGrid and dslab-dag), in FLOP, and `type`; of an edge: `bytes`, or
//! `size`, in B. A `strict` graph has one edge for a pair of nodes, any other graph all that are written. `size = -1` of an edge is
//! SimGrid's notation for a dependence without data. Edges with `dir = back` point in the opposite direction, and those with `style =
//! invis` only help the layout: they are no dependences.

mod words;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

use numasim_study::{Place, Problem, ProblemKind};

use crate::import::dot::words::{Lexer, Token, Wrong};
use crate::import::{Draft, DraftTask, Imported, Noted, Warning, assemble};
use crate::problems::{Problems, amount, at, computable_priority, shown};
use crate::values::{AccessMode, MAX_TASKS};

/// Reads a `digraph`. `name` is the graph's name if the text has none.
///
/// # Errors
/// Problems with their places: no DOT, no digraph, amounts that are no numbers or negative, a cycle of nodes.
pub fn read(text: &str, name: &str) -> Result<Imported, Vec<Problem>> {
    read_with(text, name, None)
}

/// The same; nodes without work get `default_gflop`, 10^9 FLOP each: drawings of graphs contain only dependences.
///
/// # Errors
/// As [`read`].
pub fn read_with(text: &str, name: &str, default_gflop: Option<f64>) -> Result<Imported, Vec<Problem>> {
    super::check_room(text, [super::words(text), 320], 1)?;
    let graph = parse(text);
    let graph = graph.map_err(|(place, message)| vec![at(ProblemKind::Syntax, 0, place, message)])?;
    let mut problems = Problems::default();
    let mut draft = Draft::default();
    let (mut without_work, mut without_bytes) = (Noted::default(), Noted::default());
    for (name, item) in graph.nodes {
        if problems.is_full() {
            break;
        }
        let place = Place::at(0, item.place.clone());
        let flop = figure(&item, "flop", &mut problems);
        if flop.is_none() {
            without_work.at(&name, &place);
        }
        let kind = item.attributes.get("type").map_or_else(|| "task".to_owned(), |(kind, _)| kind.clone());
        let gflop = flop.map_or(default_gflop.unwrap_or(0.0), |flop| flop / 1e9);
        let priority = priority(&item, &mut problems);
        let task =
            DraftTask { name, kind, gflop, priority, accesses: Vec::new(), parents: Vec::new(), place };
        if let Err(problem) = draft.task(task) {
            problems.add(*problem);
        }
    }
    if let Some(node) = draft.tasks.iter().find(|task| is_of_a_cmake_legend(&task.name)) {
        let message = "this is a graph of CMake, whose arrows point from a target to what it needs first";
        let problem = Problem::new(ProblemKind::BadValue, message).at(node.place.clone(), "its legend");
        problems.add(problem.hint(
            "turn all arrows, delete the subgraph clusterLegend, and give nodes `flop` and edges `bytes`",
        ));
    }
    let (mut order_only, mut invisible) = (Noted::default(), Noted::default());
    let mut first_edge = None;
    let is_without_work = draft.tasks.iter().all(|task| task.gflop == 0.0);
    let mut is_without_data = true;
    for (from, to, item) in graph.edges {
        if problems.is_full() {
            break;
        }
        let Some((from, to)) = problems.take(directed((from, to), &item)) else { continue };
        let name_of = |node: usize| draft.tasks.get(node).map_or("", |task| task.name.as_str());
        let name = format!("{} -> {}", name_of(from), name_of(to));
        let place = Place::at(0, item.place.clone());
        if is_invisible(&item) {
            invisible.at(&name, &place);
            continue;
        }
        first_edge.get_or_insert_with(|| place.clone());
        let bytes = if has_no_data(&item) {
            order_only.at(&name, &place);
            0.0
        } else {
            let bytes = figure(&item, "bytes", &mut problems);
            if bytes.is_none() {
                without_bytes.at(&name, &place);
            }
            bytes.unwrap_or(0.0)
        };
        is_without_data &= bytes == 0.0;
        let Some(block) = draft.block(name, bytes) else { break };
        if let Some(task) = draft.tasks.get_mut(from) {
            task.accesses.push((block, AccessMode::Out, bytes));
        }
        if let (Some(task), Ok(from)) = (draft.tasks.get_mut(to), u32::try_from(from)) {
            task.parents.push(from);
            task.accesses.push((block, AccessMode::In, bytes));
        }
    }
    problems.none(())?;
    for task in &mut draft.tasks {
        task.accesses.sort_by_key(|access| access.1.writes());
    }
    let graph = assemble(draft, graph.name.as_deref().unwrap_or(name))?;
    let edges = ["the edge", "edges"];
    let warnings = [
        match default_gflop {
            None => without_work.warning(["the node", "nodes"], "without `flop`: no work"),
            Some(gflop) => {
                let message = format!("without `flop`: {gflop} GFLOP each, as given");
                without_work.warning(["the node", "nodes"], &message)
            }
        },
        without_bytes.warning(edges, "without `bytes`: no data"),
        order_only.warning(edges, "with `size = -1`: order without data, as SimGrid writes it"),
        invisible.warning(edges, "with `style = invis`: left out, as it only helps the layout"),
        first_edge.filter(|_| is_without_work && is_without_data).map(|place| Warning {
            message: "no task has work and no edge has data: the graph has only an order, in which `a -> b` means that a comes before b; \
                      tools that draw what a target needs (CMake, Bazel, Terraform) mean the opposite"
                .to_owned(),
            place: Some(place),
        }),
    ];
    Ok(Imported { graph, warnings: warnings.into_iter().flatten().collect() })
}

/// Priority of a node; 0 if it is absent or invalid.
fn priority(item: &Item, problems: &mut Problems) -> f64 {
    let Some((text, place)) = item.attributes.get("priority") else { return 0.0 };
    computable_priority(text.trim()).unwrap_or_else(|why| {
        problems.add(at(ProblemKind::BadValue, 0, place.clone(), format!("`priority` is {why}")));
        0.0
    })
}

/// The ends of an edge in the order in which its arrow points.
#[allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]
fn directed((from, to): (usize, usize), item: &Item) -> Result<(usize, usize), Problem> {
    match item.attributes.get("dir") {
        Some((dir, _)) if dir == "back" => Ok((to, from)),
        Some((dir, place)) if dir == "both" || dir == "none" => {
            let message = format!("`dir` is {dir}: this edge does not say which of its tasks comes first");
            let problem = at(ProblemKind::BadValue, 0, place.clone(), message);
            Err(problem.hint("write `dir = forward` or `dir = back`, or delete the edge"))
        }
        _ => Ok((from, to)),
    }
}

/// It helps the layout, and is not drawn.
fn is_invisible(item: &Item) -> bool {
    let style = item.attributes.get("style");
    style
        .is_some_and(|(style, _)| style.split(',').any(|style| matches!(style.trim(), "invis" | "invisible")))
}

/// SimGrid's notation for an edge without data: `size="-1"`, `"-1."`.
fn has_no_data(item: &Item) -> bool {
    let size = item.attributes.get("size").filter(|_| !item.attributes.contains_key("bytes"));
    size.is_some_and(|(size, _)| size.trim().parse() == Ok(-1.0))
}

/// `legendNode0`: with `cmake --graphviz` every graph has them.
fn is_of_a_cmake_legend(name: &str) -> bool {
    let number = name.strip_prefix("legendNode");
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// An amount that is called `key` or `size`, if it is present and valid.
fn figure(item: &Item, key: &str, problems: &mut Problems) -> Option<f64> {
    let (own, size) = (item.attributes.get(key), item.attributes.get("size"));
    if let (Some(_), Some((_, place))) = (own, size) {
        let message = format!("`size` is here another word for `{key}`, which is there too");
        problems.add(at(ProblemKind::Conflict, 0, place.clone(), message).hint("delete one of them"));
    }
    let (word, (text, place)) = own.map(|own| (key, own)).or(size.map(|size| ("size", size)))?;
    match amount(text.trim()) {
        Ok(value) => Some(value),
        Err(why) => {
            problems.add(at(ProblemKind::BadValue, 0, place.clone(), format!("`{word}` is {why}")));
            None
        }
    }
}

// Statements of the DOT language as nodes and edges with their attributes.
//
// A separate parser, because messages show where in the text a node or an edge is, and no parser in a crate under a licence like ours
// keeps these places.

/// Deepest nesting of subgraphs.
const DEEPEST: usize = 100;

/// Attributes: their values and places.
type Attributes = BTreeMap<String, (String, Range<usize>)>;

/// A node or an edge.
#[derive(Clone, Debug)]
struct Item {
    /// Shared, because a few words can connect very many nodes.
    attributes: Rc<Attributes>,
    /// Its first occurrence.
    place: Range<usize>,
}

/// Nodes and edges of a text.
#[derive(Clone, Debug, Default)]
struct Graph {
    name: Option<String>,
    /// In order of appearance.
    nodes: Vec<(String, Item)>,
    /// Source and target node.
    edges: Vec<(usize, usize, Item)>,
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    next: Option<(Token, Range<usize>)>,
    graph: Graph,
    numbers: HashMap<String, usize>,
    /// Edges by their ends, if the graph is strict: there is one for a pair.
    pairs: Option<HashMap<(usize, usize), usize>>,
    end: usize,
}

/// Default attributes of nodes and edges in a subgraph.
#[derive(Clone, Default)]
struct Defaults {
    node: Attributes,
    edge: Attributes,
}

/// Reads a text.
fn parse(text: &str) -> Result<Graph, Wrong> {
    let mut lexer = Lexer::new(text);
    let next = lexer.next()?;
    let (graph, numbers) = (Graph::default(), HashMap::new());
    let mut parser = Parser { lexer, next, graph, numbers, pairs: None, end: text.len() };
    if parser.keyword("strict")?.is_some() {
        parser.pairs = Some(HashMap::new());
    }
    if let Some(place) = parser.keyword("graph")? {
        return Err((place, "this graph has no directions: write digraph, and -> for edges".to_owned()));
    }
    if parser.keyword("digraph")?.is_none() {
        return Err(parser.unexpected("digraph"));
    }
    if matches!(parser.next, Some((Token::Id(..), _))) {
        parser.graph.name = Some(parser.id("a name")?.0);
    }
    parser.sign('{')?;
    parser.statements(Defaults::default(), 0)?;
    if parser.next.is_some() {
        return Err(parser.unexpected("the end of the file"));
    }
    Ok(parser.graph)
}

impl Parser<'_> {
    fn advance(&mut self) -> Result<Option<(Token, Range<usize>)>, Wrong> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.next, next))
    }

    fn unexpected(&self, expected: &str) -> Wrong {
        match &self.next {
            Some((token, place)) => {
                let found = match token {
                    Token::Id(word, _) => shown(word),
                    Token::Arrow => "->".to_owned(),
                    Token::Line => return (place.clone(), "'--' has no direction: write ->".to_owned()),
                    Token::Sign(sign) => sign.to_string(),
                };
                (place.clone(), format!("'{found}' stands where {expected} is expected"))
            }
            None => (self.end..self.end, format!("the file ends where {expected} is expected")),
        }
    }

    /// Takes a keyword, if it comes next; returns its place.
    fn keyword(&mut self, word: &str) -> Result<Option<Range<usize>>, Wrong> {
        match &self.next {
            Some((Token::Id(found, true), place)) if found.eq_ignore_ascii_case(word) => {
                let place = place.clone();
                self.advance()?;
                Ok(Some(place))
            }
            _ => Ok(None),
        }
    }

    fn is_sign(&self, sign: char) -> bool {
        matches!(&self.next, Some((Token::Sign(found), _)) if *found == sign)
    }

    fn sign(&mut self, sign: char) -> Result<(), Wrong> {
        if self.is_sign(sign) {
            self.advance().map(|_| ())
        } else {
            Err(self.unexpected(&format!("'{sign}'")))
        }
    }

    /// A name; quoted ones may be joined by `+`.
    fn id(&mut self, expected: &str) -> Result<(String, Range<usize>), Wrong> {
        let Some((Token::Id(..), _)) = self.next else { return Err(self.unexpected(expected)) };
        let Some((Token::Id(mut word, _), mut place)) = self.advance()? else {
            return Err(self.unexpected(expected));
        };
        while self.is_sign('+') {
            self.advance()?;
            let Some((Token::Id(..), _)) = self.next else { return Err(self.unexpected("more text")) };
            if let Some((Token::Id(more, _), end)) = self.advance()? {
                word.push_str(&more);
                place.end = end.end;
            }
        }
        Ok((word, place))
    }

    /// Statements up to the closing bracket; the nodes in them, by number, each once.
    fn statements(&mut self, mut defaults: Defaults, depth: usize) -> Result<Vec<usize>, Wrong> {
        let mut members = Vec::new();
        loop {
            if self.is_sign('}') {
                self.advance()?;
                members.sort_unstable();
                members.dedup();
                return Ok(members);
            }
            if self.is_sign(';') || self.is_sign(',') {
                self.advance()?;
                continue;
            }
            if self.keyword("graph")?.is_some() {
                self.attributes(&mut Attributes::new())?;
            } else if self.keyword("node")?.is_some() {
                self.attributes(&mut defaults.node)?;
            } else if self.keyword("edge")?.is_some() {
                self.attributes(&mut defaults.edge)?;
            } else {
                self.chain(&defaults, depth, &mut members)?;
            }
        }
    }

    /// A node, an attribute of the graph, or ends joined by arrows.
    fn chain(&mut self, defaults: &Defaults, depth: usize, members: &mut Vec<usize>) -> Result<(), Wrong> {
        let mut ends: Vec<(Vec<usize>, Range<usize>)> = Vec::new();
        loop {
            let is_first = ends.is_empty();
            let is_subgraph = self.keyword("subgraph")?.is_some();
            if is_subgraph && matches!(self.next, Some((Token::Id(..), _))) {
                self.id("a name")?;
            }
            if is_subgraph || self.is_sign('{') {
                let place = self.next.as_ref().map_or(self.end..self.end, |next| next.1.clone());
                if depth == DEEPEST {
                    return Err((place, format!("subgraphs in more than {DEEPEST} others are not read")));
                }
                self.sign('{')?;
                ends.push((self.statements(defaults.clone(), depth + 1)?, place));
            } else {
                let (name, place) = self.id(if is_first { "a node or '}'" } else { "a node" })?;
                if is_first && self.is_sign('=') {
                    self.advance()?;
                    self.id("a value")?;
                    return Ok(());
                }
                for _ in 0..2 {
                    if self.is_sign(':') {
                        self.advance()?;
                        self.id("a port")?;
                    }
                }
                ends.push((vec![self.node(name, &place, defaults)], place));
            }
            if matches!(self.next, Some((Token::Arrow, _))) {
                self.advance()?;
            } else {
                break;
            }
        }
        for (nodes, _) in &ends {
            members.extend(nodes);
        }
        if let [(nodes, _)] = ends.as_slice() {
            // Attributes after a node belong to this node only.
            let mut own = Attributes::new();
            self.attributes_if_any(&mut own)?;
            if let [node] = nodes.as_slice()
                && let Some((_, item)) = self.graph.nodes.get_mut(*node)
            {
                Rc::make_mut(&mut item.attributes).extend(own);
            }
            return Ok(());
        }
        let mut attributes = defaults.edge.clone();
        self.attributes_if_any(&mut attributes)?;
        let attributes = Rc::new(attributes);
        for (from, to) in ends.iter().zip(ends.iter().skip(1)) {
            self.join(from, to, &attributes)?;
        }
        Ok(())
    }

    /// Edges from all nodes of one end to all of the other.
    fn join(
        &mut self,
        from: &(Vec<usize>, Range<usize>),
        to: &(Vec<usize>, Range<usize>),
        attributes: &Rc<Attributes>,
    ) -> Result<(), Wrong> {
        let place = from.1.start..to.1.end;
        if from.0.len().saturating_mul(to.0.len()) > MAX_TASKS - self.graph.edges.len().min(MAX_TASKS) {
            return Err((
                place,
                format!("there are more than {MAX_TASKS} edges, which is the most that is read"),
            ));
        }
        for &one in &from.0 {
            for &other in &to.0 {
                let new = self.graph.edges.len();
                let known =
                    self.pairs.as_mut().map_or(new, |pairs| *pairs.entry((one, other)).or_insert(new));
                if let Some((_, _, item)) = self.graph.edges.get_mut(known) {
                    Rc::make_mut(&mut item.attributes).extend(attributes.as_ref().clone());
                } else {
                    let item = Item { attributes: Rc::clone(attributes), place: place.clone() };
                    self.graph.edges.push((one, other, item));
                }
            }
        }
        Ok(())
    }

    /// The number of a node; a new one gets the present default attributes.
    fn node(&mut self, name: String, place: &Range<usize>, defaults: &Defaults) -> usize {
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        let number = self.graph.nodes.len();
        self.numbers.insert(name.clone(), number);
        let item = Item { attributes: Rc::new(defaults.node.clone()), place: place.clone() };
        self.graph.nodes.push((name, item));
        number
    }

    fn attributes_if_any(&mut self, into: &mut Attributes) -> Result<(), Wrong> {
        if self.is_sign('[') { self.attributes(into) } else { Ok(()) }
    }

    /// One or more lists of attributes.
    fn attributes(&mut self, into: &mut Attributes) -> Result<(), Wrong> {
        self.sign('[')?;
        loop {
            if self.is_sign(']') {
                self.advance()?;
                if !self.is_sign('[') {
                    return Ok(());
                }
                self.advance()?;
            } else if self.is_sign(',') || self.is_sign(';') {
                self.advance()?;
            } else {
                let (key, place) = self.id("an attribute or ']'")?;
                self.sign('=')?;
                let (value, end) = self.id("a value")?;
                into.insert(key, (value, place.start..end.end));
            }
        }
    }
}
