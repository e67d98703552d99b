//! Words: enums whose variants are words, suggestions for misspelt words, and lists of choices.

/// Declares an enum of words, each written once: `Variant = "word"`, with `ALL`, `as_str`, `from_word` and
/// `WORDS`. `WORDS` is shown to people: the first line of each variant's documentation. Unlike with a derive
/// of `strum`, these are constants, which size tables and parametrise tests, and no macro crate has to be
/// compiled first.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[doc = $doc:literal] $(#[doc = $more:literal])*)? $(#[default $($default:literal)?])? $variant:ident = $word:literal,)+
    }) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[doc = $doc] $(#[doc = $more])*)? $(#[default $($default)?])? $variant,)+
        }

        impl $name {
            /// All variants in the order of their declaration, which is the order of lists for people.
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word in files, arguments and documents.
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The variant with this word.
            $vis fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|known| known.as_str() == word)
            }

            /// Each word with its meaning.
            $vis const WORDS: &'static [(&'static str, &'static str)] = &[$(($word, concat!($($doc)?))),+];
        }
    };
}

/// The known word that is most similar to `word`, if `word` is a typing mistake or an abbreviation of it.
///
/// A typing mistake has a Damerau-Levenshtein distance of at most a third of the length, ignoring case and
/// the difference between `-` and `_`.
pub fn nearest<'n>(word: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    /// No typing mistake makes a word of this length, and the distance costs length x length.
    const LONGEST: usize = 200;
    let plain = |text: &str| text.to_lowercase().replace('-', "_");
    let word = plain(word);
    if word.len() > LONGEST {
        return None;
    }
    let letters = word.chars().count();
    let most = 1.max((letters + 1) / 3);
    let of = |candidate: &'n str| {
        let other = plain(candidate);
        // "even" for "even 2,2,2,2" has a large edit distance, but is clear.
        let begins = letters > 1 && other.starts_with(&word);
        if !begins && letters.abs_diff(other.chars().count()) > most {
            return None;
        }
        let distance = strsim::damerau_levenshtein(&word, &other);
        // A word of one letter is within the distance of every other one.
        let is_slip = distance <= most && distance < letters.min(other.chars().count());
        (begins || is_slip || distance == 0).then_some((distance, candidate))
    };
    let known = known.into_iter().filter(|candidate| candidate.len() <= LONGEST);
    known.filter_map(of).min_by_key(|&(distance, _)| distance).map(|(_, candidate)| candidate)
}

/// Choices: "a", "a or b", "a, b, or c".
pub fn choice<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    let words: Vec<W> = words.into_iter().collect();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.as_slice() {
        [] => "none".to_owned(),
        [only] => (*only).to_owned(),
        [first, second] => format!("{first} or {second}"),
        [start @ .., last] => format!("{}, or {last}", start.join(", ")),
    }
}

/// "one of A, B, or C" for words in their quotes; words beyond the first `most` become "or 8 more".
pub fn one_of(most: usize, words: impl IntoIterator<Item = String>) -> String {
    let mut words: Vec<String> = words.into_iter().collect();
    let more = words.len().saturating_sub(most);
    words.truncate(most);
    words.extend((more > 0).then(|| format!("{more} more")));
    format!("one of {}", choice(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_mistakes_and_abbreviations_are_recognised() {
        let keys = ["bandwidth_gbs", "link_gbs", "nodes", "even 2,2,2,2", "one app per node"];
        assert_eq!(nearest("bandwith_gbs", keys), Some("bandwidth_gbs"));
        assert_eq!(nearest("Bandwidth-GBs", keys), Some("bandwidth_gbs"));
        assert_eq!(nearest("ndoes", keys), Some("nodes"));
        assert_eq!(nearest("Even", keys), Some("even 2,2,2,2"));
        assert_eq!(nearest("one ap per node", keys), Some("one app per node"));
        assert_eq!(nearest("something else", keys), None);
        assert_eq!(nearest("frequency", keys), None);
    }

    #[test]
    fn short_words_are_not_suggested_for_words_with_other_letters() {
        // Two of three letters differ.
        assert_eq!(nearest("foo", ["io", "fma"]), None);
        assert_eq!(nearest("x", ["a", "b", "xy"]), None);
        assert_eq!(nearest("ios", ["io"]), Some("io"));
    }

    #[test]
    fn long_words_are_cheap() {
        let long = "x".repeat(1_000_000);
        assert_eq!(nearest(&long, ["nodes", &long]), None);
    }

    #[test]
    fn choices_have_an_or_before_the_last() {
        assert_eq!(choice(["a"]), "a");
        assert_eq!(choice(["a", "b"]), "a or b");
        assert_eq!(choice(["a", "b", "c"]), "a, b, or c");
    }
}
