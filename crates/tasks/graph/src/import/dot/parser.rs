//! Statements of the DOT language as nodes and edges with their attributes.
//!
//! Own code, as people are shown where in the text a node or an edge is, and no reader in a crate under a licence like ours keeps that.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

use crate::values::MAX_TASKS;

use super::lexer::{Lexer, Token, Wrong};
use crate::problems::shown;

/// Deepest nesting of subgraphs.
const DEEPEST: usize = 100;

/// Attributes: what they are and where.
pub(super) type Attributes = BTreeMap<String, (String, Range<usize>)>;

/// A node or an edge.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Shared, as a few words can join very many nodes.
    pub(super) attributes: Rc<Attributes>,
    /// Where it was met first.
    pub(super) place: Range<usize>,
}

/// Nodes and edges of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) name: Option<String>,
    /// In the order in which they were met.
    pub(super) nodes: Vec<(String, Item)>,
    /// From which to which node.
    pub(super) edges: Vec<(usize, usize, Item)>,
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    next: Option<(Token, Range<usize>)>,
    graph: Graph,
    numbers: HashMap<String, usize>,
    /// Edges by their ends, where the graph is strict: there is one for a pair.
    pairs: Option<HashMap<(usize, usize), usize>>,
    end: usize,
}

/// What holds for nodes and edges of a subgraph unless they say otherwise.
#[derive(Clone, Default)]
struct Defaults {
    node: Attributes,
    edge: Attributes,
}

/// Reads a text.
pub(super) fn read(text: &str) -> Result<Graph, Wrong> {
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

    /// Takes a keyword, if it comes next: its place.
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
            // Attributes behind a node are its own.
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

    /// The number of a node; a new one gets what holds for nodes here.
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
