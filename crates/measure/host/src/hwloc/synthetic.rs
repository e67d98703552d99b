//! Why hwloc refused a synthetic description: it does not say.

/// The types that people write; hwloc knows a few more spellings.
const TYPES: [&str; 14] = [
    "machine", "package", "pack", "socket", "group", "die", "node", "numa", "numanode", "core", "pu",
    "thread", "l1", "l2",
];

/// What looks wrong in a description that hwloc refused.
pub(super) fn mistake(text: &str) -> String {
    if text.trim().is_empty() {
        return "it is empty".into();
    }
    let mut last = "";
    // Attributes stand in brackets and may have spaces.
    let mut depth = 0_i32;
    let mut words: Vec<String> = vec![String::new()];
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        match words.last_mut() {
            Some(word) if !(c.is_whitespace() && depth <= 0) => word.push(c),
            _ => words.push(String::new()),
        }
    }
    if depth != 0 {
        return "a bracket is not closed".into();
    }
    for word in words.iter().filter(|word| !word.is_empty() && !word.starts_with('[')) {
        let plain = word.split('(').next().unwrap_or_default();
        let (kind, number) = match plain.split_once(':') {
            Some((kind, number)) => (Some(kind), number),
            None => (None, plain),
        };
        match number.parse::<u32>() {
            Ok(0) => return format!("in '{word}' the number is 0"),
            Ok(_) => {}
            Err(_) if kind.is_none() => return format!("'{word}' has no number, as in core:20"),
            Err(_) => return format!("in '{word}' there is no number behind the colon"),
        }
        if let Some(kind) = kind {
            let lower = kind.to_lowercase();
            let known = TYPES.contains(&lower.as_str())
                || lower
                    .strip_prefix('l')
                    .is_some_and(|rest| rest.starts_with(|c: char| ('1'..='5').contains(&c)));
            if !known {
                return format!("hwloc knows no '{kind}'");
            }
            last = kind;
        }
    }
    if !["pu", "thread"].contains(&last.to_lowercase().as_str()) && !last.is_empty() {
        return format!("it ends with '{last}', not with the hardware threads (pu)");
    }
    "hwloc refuses it: each kind may be there once, the larger ones first".into()
}
