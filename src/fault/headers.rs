//! The effect `headers`.

use crate::api::reply::Reply;

/// The client sees the answer with some headers set and others taken away; status and body stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// Names in lower case, each once, with the values that replace what the answer has.
    pub set: Vec<(String, String)>,
    /// Names in lower case of those taken away.
    pub remove: Vec<String>,
}

impl Headers {
    /// The answer with its headers changed.
    #[must_use]
    pub fn applied(&self, mut reply: Reply) -> Reply {
        let gone = |name: &str| {
            self.remove.iter().any(|gone| gone == name) || self.set.iter().any(|(set, _)| set == name)
        };
        reply.headers.retain(|(name, _)| !gone(name));
        reply
            .headers
            .extend(self.set.iter().map(|(name, value)| (name.clone().into(), value.clone().into())));
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_replaces_and_remove_takes_away() {
        let headers = Headers {
            set: vec![("content-type".to_owned(), "text/html".to_owned())],
            remove: vec!["x-a".to_owned()],
        };
        let reply = headers.applied(Reply::json(200, Vec::new()).with("x-a", "1").with("x-b", "2"));
        let expected = [("x-b".into(), "2".into()), ("content-type".into(), "text/html".into())];
        assert_eq!(reply.headers, expected);
    }
}
