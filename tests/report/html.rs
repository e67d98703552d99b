//! A minimal reader of pages: text, JSON, values.

use serde_json::Value;

/// The text between the tags, without style and scripts, spaces drawn together.
pub(crate) fn plain(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once('<') {
        text += before;
        let end =
            ["style", "script"].into_iter().find(|tag| after.starts_with(tag)).map(|tag| format!("</{tag}>"));
        rest = match end.and_then(|end| after.split_once(&*end).map(|(_, rest)| rest)) {
            Some(behind) => behind,
            None => after.split_once('>').map_or("", |(_, rest)| rest),
        };
        // Cells and paragraphs are separated, parts of a sentence are not.
        let tag: String =
            after.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        if !["b", "a", "code", "span", "i"].contains(&tag.as_str()) {
            text.push(' ');
        }
    }
    text += rest;
    let text = unescaped(&text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    text.replace("&amp;", "&")
}

/// The JSON in the script with this id.
pub(crate) fn script(page: &str, id: &str) -> Value {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let text = page.split_once(&start).and_then(|(_, rest)| rest.split_once("</script>"));
    serde_json::from_str(text.expect("the script is there").0).expect("valid JSON")
}

/// JSON place and text of every value that has one.
pub(crate) fn figures(page: &str) -> Vec<(String, String)> {
    let elements = page.split(" data-json=\"").skip(1);
    elements
        .map(|element| {
            let (place, rest) = element.split_once('"').expect("a whole attribute");
            let text =
                rest.split_once('>').and_then(|(_, rest)| rest.split_once('<')).expect("a whole element").0;
            (unescaped(place), unescaped(text))
        })
        .collect()
}

/// Whether a text is this number, rounded to the decimals of the text; with `%`, of a fraction.
pub(crate) fn shown_as(value: f64, text: &str) -> bool {
    let (number, factor) = match text.strip_suffix(" %") {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let half = 0.5 * 0.1_f64.powi(i32::try_from(decimals).expect("a few decimals"));
    number.parse::<f64>().is_ok_and(|shown| (shown - factor * value).abs() <= half * (1.0 + 1e-9))
}

#[test]
fn a_rounded_value_is_recognised_and_another_is_not() {
    assert!(shown_as(0.016_65, "+1.7 %") && shown_as(23.2, "23.20") && shown_as(5.0, "5"));
    assert!(!shown_as(0.016_65, "+1.6 %") && !shown_as(23.2, "23.21") && !shown_as(5.0, "-"));
}
