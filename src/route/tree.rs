//! Texts and JSON with templates in them. What has no template is rendered when the scenario is loaded.

use std::io::{self, Write};

use minijinja::Value;

use crate::route::filters::ENVIRONMENT;
use crate::template::compiled::{Budget, Compiled};
use crate::template::{OUTPUT, Problem};

/// A text, literal or with templates.
#[derive(Debug, PartialEq)]
pub(crate) enum Text {
    Literal(String),
    Template(Compiled),
}

impl Text {
    /// Compiles a text.
    ///
    /// # Errors
    /// It is a template that is not valid.
    pub(crate) fn new(text: &str) -> Result<Self, Problem> {
        let has_template = ["{{", "{%", "{#"].iter().any(|mark| text.contains(mark));
        Ok(if has_template { Self::Template(Compiled::new(text)?) } else { Self::Literal(text.to_owned()) })
    }

    /// The value; of a literal its text.
    pub(crate) fn value(&self, root: &Value, budget: &mut Budget) -> Result<Value, Problem> {
        match self {
            Self::Literal(text) => Ok(Value::from(text.as_str())),
            Self::Template(template) => template.evaluate(&ENVIRONMENT, root.clone(), budget),
        }
    }

    /// The value as text. What is undefined or none is empty.
    pub(crate) fn text(&self, root: &Value, budget: &mut Budget) -> Result<String, Problem> {
        if let Self::Literal(text) = self {
            return Ok(text.clone());
        }
        let value = self.value(root, budget)?;
        if value.is_undefined() || value.is_none() {
            return Ok(String::new());
        }
        let mut out = Bounded(Vec::new());
        write!(out, "{value}").map_err(|_| too_long())?;
        Ok(String::from_utf8_lossy(&out.0).into_owned())
    }
}

/// JSON, literal or with templates in its texts.
#[derive(Debug, PartialEq)]
pub(crate) enum Tree {
    /// JSON text.
    Literal(Vec<u8>),
    Template(Compiled),
    List(Vec<Tree>),
    /// The members in the order in which they are written, each with its name as JSON text.
    Map(Vec<(String, Tree)>),
}

impl Tree {
    /// A list, rendered if all elements are.
    pub(crate) fn list(list: Vec<Self>) -> Self {
        Self::List(list).folded()
    }

    /// A map of the members with these names.
    pub(crate) fn map(members: Vec<(&str, Self)>) -> Self {
        let name = |name: &str| serde_json::Value::from(name).to_string();
        Self::Map(members.into_iter().map(|(key, value)| (name(key), value)).collect()).folded()
    }

    fn folded(self) -> Self {
        let is_literal = |tree: &Self| matches!(tree, Self::Literal(_));
        let all = match &self {
            Self::Literal(_) | Self::Template(_) => false,
            Self::List(list) => list.iter().all(is_literal),
            Self::Map(members) => members.iter().all(|(_, value)| is_literal(value)),
        };
        if !all {
            return self;
        }
        let mut out = Bounded(Vec::new());
        match self.write(&mut out, &Value::UNDEFINED, &mut Budget::default()) {
            Ok(()) => Self::Literal(out.0),
            Err(_) => self,
        }
    }

    /// The JSON text if there is no template in it.
    pub(crate) fn literal(&self) -> Option<&[u8]> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Template(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The JSON text.
    ///
    /// # Errors
    /// A template fails, or the text is too long.
    pub(crate) fn render(&self, root: &Value, budget: &mut Budget) -> Result<Vec<u8>, Problem> {
        let mut out = Bounded(Vec::with_capacity(512));
        self.write(&mut out, root, budget)?;
        Ok(out.0)
    }

    fn write(&self, out: &mut Bounded, root: &Value, budget: &mut Budget) -> Result<(), Problem> {
        let put = |out: &mut Bounded, bytes: &[u8]| out.write_all(bytes).map_err(|_| too_long());
        match self {
            Self::Literal(text) => put(out, text),
            Self::Template(template) => {
                let value = template.evaluate(&ENVIRONMENT, root.clone(), budget)?;
                serde_json::to_writer(out, &value).map_err(|error| {
                    let message = format!("its value cannot be shown as JSON: {error}");
                    if error.is_io() { too_long() } else { Problem { message, line: 1 } }
                })
            }
            Self::List(list) => {
                put(out, b"[")?;
                for (at, element) in list.iter().enumerate() {
                    if at > 0 {
                        put(out, b",")?;
                    }
                    element.write(out, root, budget)?;
                }
                put(out, b"]")
            }
            Self::Map(members) => {
                put(out, b"{")?;
                for (at, (name, value)) in members.iter().enumerate() {
                    if at > 0 {
                        put(out, b",")?;
                    }
                    put(out, name.as_bytes())?;
                    put(out, b":")?;
                    value.write(out, root, budget)?;
                }
                put(out, b"}")
            }
        }
    }
}

fn too_long() -> Problem {
    Problem { message: format!("the answer is longer than {} MiB", OUTPUT >> 20), line: 1 }
}

/// Bytes up to the limit of an answer.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > OUTPUT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
