//! What a misspelt name probably meant.

/// The known name that is most like `name`, if it is close enough to be a slip of the keyboard or a shortened form.
pub(crate) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    /// No slip makes a name of this length, and the distance costs length x length.
    const LONGEST: usize = 200;
    let name = name.to_lowercase();
    if name.is_empty() || name.len() > LONGEST {
        return None;
    }
    let most = 1 + name.chars().count() / 3;
    known
        .into_iter()
        .filter(|other| other.len() <= LONGEST)
        .map(|other| {
            let lower = other.to_lowercase();
            (strsim::damerau_levenshtein(&name, &lower), lower.starts_with(&name), other)
        })
        // A one-letter name is within the distance of every other one.
        .filter(|&(distance, begins, other)| begins || (distance <= most && distance < other.chars().count()))
        .min_by_key(|&(distance, ..)| distance)
        .map(|(_, _, other)| other)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_and_a_shortened_name_are_recognised() {
        let known = ["uneven 1,1,1,17", "even 5,5,5,5", "x"];
        assert_eq!(nearest("evn 5,5,5,5", known), Some("even 5,5,5,5"));
        assert_eq!(nearest("Even", known), Some("even 5,5,5,5"));
        assert_eq!(nearest("y", known), None);
        assert_eq!(nearest("something else", known), None);
    }
}
