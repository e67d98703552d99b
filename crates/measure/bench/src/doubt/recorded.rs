//! Doubts in files: code, message and advice, as written and as read again.

use serde::{Deserialize, Serialize, Serializer};

use super::Doubt;

/// A doubt as it stands in a file, where its words count and not its type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedDoubt {
    /// [`Doubt::code`].
    pub code: String,
    /// The sentence.
    pub message: String,
    /// [`Doubt::advice`].
    pub advice: String,
}

impl From<&Doubt> for RecordedDoubt {
    fn from(doubt: &Doubt) -> Self {
        Self { code: doubt.code().into(), message: doubt.to_string(), advice: doubt.advice() }
    }
}

/// As [`RecordedDoubt`].
impl Serialize for Doubt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RecordedDoubt::from(self).serialize(serializer)
    }
}

/// The codes, each once, in the order of the doubts: what the column `doubts` of a measurement holds, joined by spaces.
pub fn codes<'a>(doubts: impl IntoIterator<Item = &'a Doubt>) -> Vec<&'static str> {
    let mut codes = Vec::new();
    for code in doubts.into_iter().map(Doubt::code) {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubt_is_written_as_code_message_and_advice() {
        let written = serde_json::to_value(Doubt::NumaBalancing).expect("plain text");
        let keys: Vec<&String> = written.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["code", "message", "advice"]);
        assert_eq!(written["code"], "numa-balancing");
        assert_eq!(written["advice"], "sudo sysctl kernel.numa_balancing=0");
        let read: RecordedDoubt = serde_json::from_value(written).expect("as written");
        assert_eq!(read, RecordedDoubt::from(&Doubt::NumaBalancing));
    }

    #[test]
    fn a_code_that_two_doubts_share_is_listed_once() {
        let few = Doubt::FewHugePages { scenario: "even".into(), app: "mem".into(), share: 0.5 };
        assert_eq!(codes(&[Doubt::HugePagesOff, Doubt::Turbo, few]), ["no-huge-pages", "turbo"]);
    }
}
