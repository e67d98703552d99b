//! The what-if page (`bindings/web`) as a part of a report. It is a separate document in a frame, with the report's files in it, so that
//! the styles and scripts of both do not interfere.

use maud::{Markup, html};
use numasim_study::SourceFile;
use serde_json::json;

/// The beginning of a page that this version can embed.
const MADE_BY: &str =
    concat!("<meta name=\"generator\" content=\"numasim ", env!("CARGO_PKG_VERSION"), "\">");
/// The position of the files.
const STUDY: &str = "<script type=\"application/json\" id=\"study\">null</script>";
const PROGRAM: (&str, &str) = ("<script id=\"program\">", "</script>");

/// The page with the files of a report in it.
#[derive(Debug)]
pub(crate) struct Interactive {
    page: String,
}

impl Interactive {
    /// `None` if this is not the page of this version of numasim.
    pub(crate) fn new(page: &str, files: &[SourceFile]) -> Option<Self> {
        if !page.contains(MADE_BY) || !page.contains(PROGRAM.0) {
            return None;
        }
        let (before, after) = page.split_once(STUDY)?;
        let files: Vec<_> =
            files.iter().map(|file| json!({ "name": file.name, "text": file.text })).collect();
        // No text in a file can close the element.
        let study = json!({ "files": files }).to_string().replace('<', "\\u003c");
        let empty = STUDY.replace("null", &study);
        Some(Self { page: format!("{before}{empty}{after}") })
    }

    /// Its script, which the report must allow.
    pub(super) fn program(&self) -> &str {
        let program = self.page.rsplit_once(PROGRAM.0).map_or("", |(_, rest)| rest);
        program.split_once(PROGRAM.1).map_or("", |(program, _)| program)
    }

    pub(super) fn section(&self) -> Markup {
        html! {
            p { "Move threads and data, change the machine, search again: computed in this page, with the model of numasim." }
            iframe.interactive title="What if?" srcdoc=(self.page) loading="lazy" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_takes_the_files_and_no_text_of_them_ends_its_element() {
        let page = format!("<head>{MADE_BY}</head>{STUDY}<script id=\"program\">go()</script>");
        let file = SourceFile { name: "a.toml".to_owned(), text: "# </script>".to_owned() };
        let made = Interactive::new(&page, &[file]).expect("our page");
        assert_eq!(made.program(), "go()");
        let study = "{\"files\":[{\"name\":\"a.toml\",\"text\":\"# \\u003c/script>\"}]}</script>";
        assert!(made.page.contains(study), "{}", made.page);
    }

    #[test]
    fn other_pages_and_those_of_other_versions_are_none() {
        assert!(Interactive::new("<html></html>", &[]).is_none());
        let other = MADE_BY.replace(env!("CARGO_PKG_VERSION"), "0.0.0");
        assert!(Interactive::new(&format!("{other}{STUDY}<script id=\"program\"></script>"), &[]).is_none());
    }
}
