//! The effect `headers`.

use crate::api::reply::Reply;

/// The client gets the answer with some headers set and others removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Headers {
    /// Names in lower case, each once, with the values that replace those of the answer.
    pub(crate) set: Vec<(String, String)>,
    /// Names in lower case.
    pub(crate) remove: Vec<String>,
}

impl Headers {
    /// Changes the headers of a reply.
    pub(crate) fn apply(&self, mut reply: Reply) -> Reply {
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
        let reply = headers.apply(Reply::json(200, Vec::new()).with("x-a", "1").with("x-b", "2"));
        let expected = [("x-b".into(), "2".into()), ("content-type".into(), "text/html".into())];
        assert_eq!(reply.headers, expected);
    }
}
