//! The identity of an operation: the name that scenarios, the journal and the metrics use for it. What an operation reads
//! and answers is defined in `operations/`, a file each.

/// One operation of the simulated API, by its name, for example `reviews`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operation(&'static str);

impl Operation {
    /// The operation of this name. The names are those of `docs/api.md` 4.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The name, for example `reviews`.
    pub const fn name(self) -> &'static str {
        self.0
    }
}
