//! XML as a list of elements, restricted to the output of hwloc: no custom entities, no more elements and no
//! deeper nesting than a topology has.

use std::borrow::Cow;

use super::XmlError;

/// A machine with 8192 logical CPUs has fewer.
const MOST_ELEMENTS: usize = 400_000;
/// A topology has about twenty levels.
const DEEPEST: usize = 200;

/// An element, after its parent and before its children.
pub(super) struct Element<'t> {
    pub(super) name: &'t str,
    pub(super) parent: Option<usize>,
    /// Its line in the text, from 1.
    pub(super) line: usize,
    /// The text inside.
    pub(super) text: String,
    attributes: Vec<(&'t str, Cow<'t, str>)>,
}

impl Element<'_> {
    /// The value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_ref())
    }

    /// An error with the line of this element.
    pub(super) fn wrong(&self, why: impl AsRef<str>) -> XmlError {
        damaged(self.line, why)
    }
}

/// An error with its line.
fn damaged(line: usize, why: impl AsRef<str>) -> XmlError {
    XmlError::Damaged(format!("line {line}: {}", why.as_ref()))
}

/// The elements of a text, the first of them `<topology>`.
pub(super) fn elements(text: &str) -> Result<Vec<Element<'_>>, XmlError> {
    if text.trim().is_empty() {
        return Err(XmlError::NotXml("it is empty"));
    }
    if text.contains('\0') {
        return Err(XmlError::NotXml("it is a binary file"));
    }
    if !text.contains("<topology") {
        return Err(XmlError::NotXml("it has no element <topology>"));
    }
    if !text.contains("</topology>") && !text.trim_end().ends_with("/>") {
        return Err(XmlError::NotXml("its element <topology> does not end; is the file cut off?"));
    }
    let mut reader = Reader { text, at: 0, line: 1, found: Vec::new(), open: Vec::new() };
    reader.read()?;
    match reader.found.first() {
        Some(first) if first.name == "topology" => Ok(reader.found),
        _ => Err(XmlError::NotXml("it has no element <topology>")),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    found: Vec<Element<'t>>,
    /// Indices into `found`.
    open: Vec<usize>,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Steps over `bytes` of the text.
    fn step(&mut self, bytes: usize) {
        let passed = self.rest().get(..bytes).unwrap_or_default();
        self.line += passed.bytes().filter(|&byte| byte == b'\n').count();
        self.at += bytes;
    }

    /// Skips the next `end`, and returns the text before it.
    fn until(&mut self, end: &str, what: &str) -> Result<&'t str, XmlError> {
        let rest = self.rest();
        let length = rest.find(end).ok_or_else(|| damaged(self.line, format!("{what} does not end")))?;
        self.step(length + end.len());
        Ok(rest.get(..length).unwrap_or_default())
    }

    fn read(&mut self) -> Result<(), XmlError> {
        while let Some(length) = self.rest().find('<') {
            let between = self.rest().get(..length).unwrap_or_default();
            self.content(between)?;
            self.step(length);
            let rest = self.rest();
            if rest.starts_with("<?") {
                self.until("?>", "a processing instruction")?;
            } else if rest.starts_with("<!--") {
                self.until("-->", "a comment")?;
            } else if rest.starts_with("<![CDATA[") {
                self.step("<![CDATA[".len());
                self.until("]]>", "a section of plain text")?;
            } else if rest.starts_with("<!") {
                let line = self.line;
                if self.until(">", "a declaration")?.contains('[') {
                    return Err(damaged(line, "this file declares entities, which hwloc does not write"));
                }
            } else if rest.starts_with("</") {
                self.step(2);
                self.close()?;
            } else {
                self.step(1);
                self.open()?;
            }
        }
        match self.open.last().and_then(|&place| self.found.get(place)) {
            Some(open) => Err(open.wrong(format!("the element <{}> does not end", shown(open.name)))),
            None => Ok(()),
        }
    }

    /// Text between two tags.
    fn content(&mut self, text: &str) -> Result<(), XmlError> {
        if text.trim().is_empty() {
            return Ok(());
        }
        match self.open.last().and_then(|&place| self.found.get_mut(place)) {
            Some(element) => {
                element.text.push_str(text);
                Ok(())
            }
            None => Err(damaged(self.line, "there is text outside of the topology")),
        }
    }

    fn close(&mut self) -> Result<(), XmlError> {
        let line = self.line;
        let name = self.until(">", "a tag")?.trim_end();
        let open = self.open.pop().and_then(|place| self.found.get(place));
        match open {
            Some(open) if open.name == name => Ok(()),
            Some(open) => Err(damaged(
                line,
                format!("</{}> closes <{}> of line {}", shown(name), shown(open.name), open.line),
            )),
            None => Err(damaged(line, format!("</{}> closes nothing", shown(name)))),
        }
    }

    fn open(&mut self) -> Result<(), XmlError> {
        let line = self.line;
        let name = self.name();
        if name.is_empty() {
            return Err(damaged(line, "a `<` that begins no element"));
        }
        if self.open.is_empty() && !self.found.is_empty() {
            return Err(damaged(line, "a second element follows the topology"));
        }
        if self.found.len() >= MOST_ELEMENTS {
            return Err(damaged(line, format!("more than {MOST_ELEMENTS} elements")));
        }
        if self.open.len() >= DEEPEST {
            return Err(damaged(line, format!("elements are nested more than {DEEPEST} deep")));
        }
        let mut attributes: Vec<(&'t str, Cow<'t, str>)> = Vec::new();
        let ends = loop {
            self.blanks();
            let rest = self.rest();
            if rest.starts_with("/>") {
                self.step(2);
                break true;
            }
            if rest.starts_with('>') {
                self.step(1);
                break false;
            }
            let (attribute, value) = self.attribute(name)?;
            if attributes.iter().any(|(known, _)| *known == attribute) {
                return Err(damaged(self.line, format!("the attribute {} appears twice", shown(attribute))));
            }
            attributes.push((attribute, value));
        };
        let place = self.found.len();
        let parent = self.open.last().copied();
        self.found.push(Element { name, parent, line, text: String::new(), attributes });
        if !ends {
            self.open.push(place);
        }
        Ok(())
    }

    fn attribute(&mut self, element: &str) -> Result<(&'t str, Cow<'t, str>), XmlError> {
        let line = self.line;
        let wrong =
            || damaged(line, format!("the attributes of <{}> are no `name=\"value\"`", shown(element)));
        let name = self.name();
        self.blanks();
        if name.is_empty() || !self.rest().starts_with('=') {
            return Err(wrong());
        }
        self.step(1);
        self.blanks();
        let quote = match self.rest().as_bytes().first() {
            Some(b'"') => "\"",
            Some(b'\'') => "'",
            _ => return Err(wrong()),
        };
        self.step(1);
        let value = self.until(quote, "an attribute")?;
        if value.contains('<') {
            return Err(wrong());
        }
        let value = unescaped(value)
            .ok_or_else(|| damaged(line, format!("the attribute {} has an unknown `&...;`", shown(name))))?;
        Ok((name, value))
    }

    fn name(&mut self) -> &'t str {
        let rest = self.rest();
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        let length = rest.find(|c: char| !part(c)).unwrap_or(rest.len());
        self.step(length);
        rest.get(..length).unwrap_or_default()
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.step(rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len());
    }
}

/// A text with its `&lt;` and `&#10;` decoded; `None` if any of them is unknown.
fn unescaped(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('&') {
        return Some(Cow::Borrowed(text));
    }
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let (name, following) = after.split_once(';')?;
        plain.push(match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let number = name.strip_prefix('#')?;
                let number = match number.strip_prefix(['x', 'X']) {
                    Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                    None => number.parse(),
                };
                char::from_u32(number.ok()?)?
            }
        });
        rest = following;
    }
    plain.push_str(rest);
    Some(Cow::Owned(plain))
}

/// The beginning of a text of the file, for messages.
pub(super) fn shown(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    numasim_model::text::visible(&short).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_parents_lines_attributes_and_texts() {
        let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<!-- < -->\n<topology>\n \
                    <info name='a &lt;&#98;&gt;'\n value=\"\"/><u64values length=\"3\">1 2</u64values>\n</topology>\n";
        let found = elements(text).expect("well formed");
        let names: Vec<_> =
            found.iter().map(|element| (element.name, element.parent, element.line)).collect();
        assert_eq!(names, [("topology", None, 4), ("info", Some(0), 5), ("u64values", Some(0), 6)]);
        assert_eq!(
            (found[1].get("name"), found[1].get("value"), found[1].get("x")),
            (Some("a <b>"), Some(""), None)
        );
        assert_eq!(found[2].text, "1 2");
    }

    #[test]
    fn malformed_text_is_rejected_with_its_line() {
        let deep = format!("<topology>{}{}</topology>", "<object>".repeat(300), "</object>".repeat(300));
        for (text, why) in [
            ("<topology>\n<a></b></topology>", "line 2: </b> closes <a> of line 2"),
            ("<topology>\n<a b=c/></topology>", "line 2: the attributes of <a> are no `name=\"value\"`"),
            ("<topology>\n<a b='&lol;'/></topology>", "line 2: the attribute b has an unknown `&...;`"),
            ("<topology>\n<a b='' b=''/></topology>", "line 2: the attribute b appears twice"),
            (
                "<!DOCTYPE a [<!ENTITY lol 'lol'>]>\n<topology></topology>",
                "line 1: this file declares entities",
            ),
            ("<topology></topology><topology></topology>", "line 1: a second element follows"),
            ("<topology><a></topology>", "line 1: </topology> closes <a> of line 1"),
            ("<topology>\n<!-- </topology>", "line 2: a comment does not end"),
            ("<topology>\n< a/></topology>", "line 2: a `<` that begins no element"),
            (deep.as_str(), "line 1: elements are nested more than 200 deep"),
        ] {
            let Err(error) = elements(text) else { panic!("{text} was read") };
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}
