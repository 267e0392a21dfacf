//! The operations of the simulated API, a file each, and the list of them. An operation runs when the key, the rate limit
//! and `x-business-number` are settled (`docs/api.md` 1). It reads its fields in the documented order, and answers or
//! fails with an API error.

pub(crate) mod spec;

pub(crate) mod sentiment_locations;
pub(crate) mod sentiment_benchmark;
pub(crate) mod contact;
pub(crate) mod reviews;
pub(crate) mod qna;
pub(crate) mod subscribe;

/// Fields that both sentiment operations have.
mod insight;

use spec::Spec;

/// All operations, in the order of `docs/api.md`.
pub(crate) static ALL: [&Spec; 6] = [
    &sentiment_locations::SPEC,
    &sentiment_benchmark::SPEC,
    &contact::SPEC,
    &reviews::SPEC,
    &qna::SPEC,
    &subscribe::SPEC,
];

/// The operation of that name.
pub(crate) fn named(name: &str) -> Option<&'static Spec> {
    ALL.into_iter().find(|spec| spec.operation.name() == name)
}

/// The operation at a path without world prefix and query, with its path parameter, still percent-encoded.
/// `/resources/v1/…` is `/v1/…`, and a trailing slash is accepted (`docs/api.md` 1, step 2).
pub(crate) fn at(path: &str) -> Option<(&'static Spec, &str)> {
    let path = path.strip_prefix("/resources").unwrap_or(path);
    let path = path.strip_suffix('/').unwrap_or(path);
    ALL.into_iter().find_map(|spec| Some((spec, spec.matches(path)?)))
}

#[cfg(test)]
mod tests {
    use serde::de::{Deserialize, Deserializer};

    use super::*;

    #[test]
    fn every_operation_is_found_by_its_path_and_name() {
        for spec in ALL {
            let path = spec.path.replace("{CompetitorEnterpriseBusinessId}", "200");
            assert_eq!(at(&path).map(|found| found.0), Some(spec));
            assert_eq!(named(spec.operation.name()), Some(spec));
        }
    }

    #[test]
    fn the_published_prefix_and_a_trailing_slash_are_the_same_path() {
        assert_eq!(at("/resources/v1/qna/unanswered/get/"), Some((&qna::SPEC, "")));
        assert_eq!(at("/v1/review/businessId/200/"), Some((&reviews::SPEC, "200")));
        assert_eq!(at("/v1/review/businessId/"), Some((&reviews::SPEC, "")));
        assert_eq!(at("/x/v1/review/businessId"), None);
        assert_eq!(at("/v1/review/businessId/1/2"), None);
        assert_eq!(at("/v2/qna/unanswered/get"), None);
    }

    #[test]
    fn the_schema_of_a_body_has_the_fields_that_are_read() {
        for (spec, mut read) in [
            (&sentiment_locations::SPEC, names::<sentiment_locations::Request<'_>>().to_vec()),
            (&sentiment_benchmark::SPEC, names::<sentiment_benchmark::Request<'_>>().to_vec()),
            (&contact::SPEC, names::<contact::Request<'_>>().to_vec()),
            (&reviews::SPEC, names::<reviews::Request<'_>>().to_vec()),
            (&qna::SPEC, names::<qna::Request<'_>>().to_vec()),
            (&subscribe::SPEC, names::<subscribe::Request<'_>>().to_vec()),
        ] {
            read.sort_unstable();
            let mut described: Vec<&str> = spec.fields().collect();
            described.sort_unstable();
            assert_eq!(described, read, "{}", spec.operation.name());
        }
    }

    /// Names of the fields that a struct deserializes, in its order.
    fn names<'a, T: Deserialize<'a>>() -> &'static [&'static str] {
        let mut names: &[&str] = &[];
        // The deserializer reads nothing. It captures the names and ends.
        let _ = T::deserialize(Names(&mut names));
        names
    }

    /// A deserializer that captures the field names of a struct.
    struct Names<'a>(&'a mut &'static [&'static str]);

    impl<'de> Deserializer<'de> for Names<'_> {
        type Error = serde::de::value::Error;

        fn deserialize_struct<V: serde::de::Visitor<'de>>(
            self,
            _name: &'static str,
            fields: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, Self::Error> {
            *self.0 = fields;
            self.deserialize_any(visitor)
        }

        fn deserialize_any<V: serde::de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            visitor.visit_map(serde::de::value::MapDeserializer::new(std::iter::empty::<(&str, &str)>()))
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
            newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }
}
