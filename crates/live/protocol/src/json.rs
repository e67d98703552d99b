//! A line as JSON in which every key of every object appears once.
//!
//! RFC 8259 does not define which of two equal keys counts, and programs differ: the sender may mean one and the receiver read the other.
//! So both are rejected. Keys are compared by the text that they represent: `"na\u006de"` is `"name"`.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Why a line is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoValue {
    /// Not UTF-8.
    NoText,
    /// Not JSON: why.
    NoJson(String),
    /// This key appears twice.
    Twice(String),
}

/// Parses a line, given without its line feed.
///
/// # Errors
/// [`NoValue`].
pub(crate) fn value(line: &[u8]) -> Result<Value, NoValue> {
    let text = std::str::from_utf8(line).map_err(|_| NoValue::NoText)?;
    let twice = RefCell::new(None);
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Once { twice: &twice }.deserialize(&mut reader);
    let value = value.and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| match twice.into_inner() {
        Some(key) => NoValue::Twice(key),
        None => NoValue::NoJson(error.to_string()),
    })
}

/// A value; the first key that an object has twice is noted.
#[derive(Clone, Copy)]
struct Once<'a> {
    twice: &'a RefCell<Option<String>>,
}

impl<'de> DeserializeSeed<'de> for Once<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self)? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            if values.contains_key(&key) {
                let error = A::Error::custom("a key twice");
                *self.twice.borrow_mut() = Some(key);
                return Err(error);
            }
            values.insert(key, object.next_value_seed(self)?);
        }
        Ok(values.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(line: &str) -> Result<Value, NoValue> {
        value(line.as_bytes())
    }

    #[test]
    fn a_line_is_read_as_any_reader_of_json_would() {
        for line in [
            r#"{"a":[1,-2,3.5,1e3,-0,null,true,"x\u0000\ud83d\ude00"],"b":{"a":{"a":{}}},"":[]}"#,
            " 7\r",
            r#"[{"a":1},{"a":2}]"#,
            r#"{"a":1,"A":2,"a ":3}"#,
        ] {
            assert_eq!(read(line), Ok(serde_json::from_str(line).expect("JSON")), "{line}");
        }
    }

    #[test]
    fn a_key_that_an_object_has_twice_is_named_wherever_it_is() {
        for line in [
            r#"{"name":1,"name":1}"#,
            r#"{"name":1,"x":2,"na\u006de":3}"#,
            r#"{"x":{"y":[{"name":null,"name":2}]}}"#,
            // The rest is not parsed any more.
            r#"{"name":{},"name":x"#,
        ] {
            assert_eq!(read(line), Err(NoValue::Twice("name".to_owned())), "{line}");
        }
    }

    #[test]
    fn what_a_library_means_by_a_key_of_its_own_is_a_key_as_any_other() {
        // serde_json parses the text of such an object as JSON again when it makes a value of it.
        let line = r#"{"$serde_json::private::RawValue":"{\"type\":\"bye\"}"}"#;
        assert_eq!(read(line), Ok(json!({"$serde_json::private::RawValue": "{\"type\":\"bye\"}"})));
    }

    #[test]
    fn what_is_not_json_is_not_guessed() {
        for line in [
            "",
            "\u{feff}{}",
            "{} {}",
            "{},",
            "{\"a\":01}",
            "{\"a\":+1}",
            "{\"a\":NaN}",
            "{\"a\":1e999}",
            "{\"a\":\"\\ud800\"}",
            "{\"a\":\"\u{1}\"}",
            "{'a':1}",
            "{a:1}",
            "{\"a\":1,}",
            "{\"a\":1}\0",
        ] {
            assert!(matches!(read(line), Err(NoValue::NoJson(_))), "{line}");
        }
        assert_eq!(value(b"{\"a\":\"\xff\"}"), Err(NoValue::NoText));
    }

    #[test]
    fn depth_has_an_end() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&nested(100)).is_ok());
        for depth in [1000, 30_000] {
            let error = read(&nested(depth)).expect_err("too deep");
            assert!(matches!(&error, NoValue::NoJson(why) if why.contains("recursion limit")), "{error:?}");
        }
    }
}
