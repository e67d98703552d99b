//! The elements of hwloc's XML. Libraries that write XML escape apostrophes as `&apos;`, which the reader inside of hwloc (built without
//! libxml2) does not know: it has seven names, and these are all that is written.

use std::fmt::Write as _;

use numasim_model::text::is_hidden;

use super::bits::Bits;

/// A file that grows.
pub(super) struct Writer {
    text: String,
    /// Types of the objects that are open.
    depth: usize,
    /// Objects so far: each has a number of its own, from 1.
    objects: u64,
}

// Writing to a String cannot fail.
impl Writer {
    pub(super) fn new() -> Self {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n";
        Self { text: text.to_owned(), depth: 0, objects: 0 }
    }

    fn indent(&mut self) {
        for _ in 0..=self.depth {
            self.text.push_str("  ");
        }
    }

    /// Opens an object and tells its number. `number`: that of the operating system.
    pub(super) fn object(
        &mut self,
        kind: &str,
        number: u32,
        cpus: &Bits,
        nodes: &Bits,
        more: &[(&str, &str)],
    ) -> u64 {
        self.indent();
        self.depth += 1;
        self.objects += 1;
        let _ = write!(self.text, "<object type=\"{kind}\"");
        // A group is nothing that the operating system has numbers for.
        if kind != "Group" {
            let _ = write!(self.text, " os_index=\"{number}\"");
        }
        let _ = write!(
            self.text,
            " cpuset=\"{cpus}\" complete_cpuset=\"{cpus}\" nodeset=\"{nodes}\" complete_nodeset=\"{nodes}\" gp_index=\"{}\"",
            self.objects
        );
        for (name, value) in more {
            let _ = write!(self.text, " {name}=\"{}\"", escaped(value));
        }
        self.text.push_str(">\n");
        self.objects
    }

    /// Closes the innermost object.
    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.indent();
        self.text.push_str("</object>\n");
    }

    /// A text beside the innermost object.
    pub(super) fn info(&mut self, name: &str, value: &str) {
        self.indent();
        let _ = writeln!(self.text, "<info name=\"{name}\" value=\"{}\"/>", escaped(value));
    }

    /// Distances between nodes: of the firmware (1), larger is farther (4).
    pub(super) fn distances(&mut self, nodes: &[String], values: &[String]) {
        let line = |numbers: &[String]| {
            let mut line = numbers.join(" ");
            line.push(' ');
            line
        };
        let (indexes, cells) = (line(nodes), line(values));
        let _ = writeln!(
            self.text,
            "  <distances2 type=\"NUMANode\" nbobjs=\"{}\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\">\n    \
             <indexes length=\"{}\">{indexes}</indexes>",
            nodes.len(),
            indexes.len()
        );
        let _ = writeln!(
            self.text,
            "    <u64values length=\"{}\">{cells}</u64values>\n  </distances2>",
            cells.len()
        );
    }

    /// A memory attribute: values of memories for the processors that read.
    pub(super) fn attribute(&mut self, name: &str, flags: u32, values: &[(u64, String, u64)]) {
        let _ = writeln!(self.text, "  <memattr name=\"{name}\" flags=\"{flags}\">");
        for (object, cpus, value) in values {
            let _ = writeln!(
                self.text,
                "    <memattr_value target_obj_type=\"NUMANode\" target_obj_gp_index=\"{object}\" value=\"{value}\" \
                 initiator_cpuset=\"{cpus}\"/>"
            );
        }
        self.text.push_str("  </memattr>\n");
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</topology>\n");
        self.text
    }
}

/// As the value of an attribute. What is hidden is left out: XML has no way to write most of it.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if is_hidden(c) => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
