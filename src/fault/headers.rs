//! The effect `headers`.

/// The client sees the answer with some headers set and others taken away; status and body stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// Names in lower case, each once, with the values that replace what the answer has.
    pub set: Vec<(String, String)>,
    /// Names in lower case of those taken away.
    pub remove: Vec<String>,
}
