//! A template that is compiled once and rendered for many requests.

use std::collections::BTreeMap;
use std::fmt::{self, Formatter};

use minijinja::machinery::ast::Stmt;
use minijinja::machinery::{CodeGenerator, Instructions, eval, make_string_output};
use minijinja::{AutoEscape, Environment, Value};

use crate::template::{ALL_VALUES, Left, Problem, text};

self_cell::self_cell! {
    /// The instructions borrow from the text.
    struct Cell {
        owner: Box<str>,
        #[covariant]
        dependent: Program,
    }
}

struct Program<'a> {
    instructions: Instructions<'a>,
    /// Whether the template is a single expression, whose value keeps its type.
    is_expression: bool,
}

/// A compiled template.
pub(crate) struct Compiled(Cell);

impl fmt::Debug for Compiled {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Compiled").field(self.0.borrow_owner()).finish()
    }
}

/// Two templates are the same if their texts are.
impl PartialEq for Compiled {
    fn eq(&self, other: &Self) -> bool {
        self.0.borrow_owner() == other.0.borrow_owner()
    }
}

/// What the templates of one answer may use together.
#[derive(Debug)]
pub(crate) struct Budget {
    steps: u64,
    values: usize,
}

/// Most steps of all templates of one answer.
const STEPS: u64 = 500_000;

impl Default for Budget {
    fn default() -> Self {
        Self { steps: STEPS, values: 2 * ALL_VALUES }
    }
}

impl Compiled {
    /// Compiles a template.
    ///
    /// # Errors
    /// Its syntax is wrong, or it has what templates may not have.
    pub(crate) fn new(text: &str) -> Result<Self, Problem> {
        Cell::try_new(text.into(), |text| {
            let read = text::read(text)?;
            let mut generator = CodeGenerator::new("template", text);
            let only = only_expression(&read);
            if let Some(expression) = only {
                generator.compile_expr(expression);
            } else {
                generator.compile_stmt(&read);
            }
            let is_expression = only.is_some();
            Ok(Program { instructions: generator.finish().0, is_expression })
        })
        .map(Self)
    }

    /// The value of the template: that of its single expression, else its text.
    ///
    /// # Errors
    /// It fails, or it is at the end of its bounds.
    pub(crate) fn evaluate(
        &self,
        environment: &Environment<'_>,
        root: Value,
        budget: &mut Budget,
    ) -> Result<Value, Problem> {
        let Program { instructions, is_expression } = self.0.borrow_dependent();
        let (mut written, no_blocks) = (String::new(), BTreeMap::new());
        let mut output = make_string_output(&mut written);
        let (value, state) = eval(environment, instructions, root, &no_blocks, &mut output, AutoEscape::None)
            .map_err(|error| Problem::from(&error))?;
        let steps = state.fuel_levels().map_or(0, |(consumed, _)| consumed);
        let values = state.get_extension::<Left>().map_or(0, |left| ALL_VALUES - left.values);
        let left = budget.steps.checked_sub(steps).zip(budget.values.checked_sub(values));
        let (steps, values) = left.ok_or_else(|| Problem {
            message: "the templates of this answer have too much to do together".to_owned(),
            line: 1,
        })?;
        *budget = Budget { steps, values };
        drop(state);
        Ok(if *is_expression { value.unwrap_or_default() } else { Value::from(written) })
    }
}

/// The expression of a template that is nothing else.
fn only_expression<'s, 'a>(read: &'s Stmt<'a>) -> Option<&'s minijinja::machinery::ast::Expr<'a>> {
    let Stmt::Template(template) = read else { return None };
    match template.children.as_slice() {
        [Stmt::EmitExpr(only)] => Some(&only.expr),
        _ => None,
    }
}

/// A serializable value as templates see it.
pub(crate) fn serialized(value: &impl serde::Serialize) -> Value {
    Value::from(minijinja::value::Serde(value))
}
