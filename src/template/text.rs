//! Reads the text of a template: checks it, and parses it into a statement whose operators count what they handle.
//!
//! Parsing deeply nested text could use up the stack, so expressions are bounded in length and depth. The steps of a rendering
//! are counted, but one step could still handle megabytes: so an operand goes through a filter first, which counts its bytes
//! like all filters do. Statements that keep what they render are not supported, since no filter sees that.

use minijinja::machinery::ast::{
    BinOp, BinOpKind, Call, CallArg, Compare, CompareOp, CompareOpKind, Const, EmitExpr, Expr, Filter,
    ForLoop, GetAttr, GetItem, IfCond, IfExpr, List, Map, Set, Slice, Spanned, Stmt, Template, Test, Tuple,
    UnaryOp, UnaryOpKind, Var, WithBlock,
};
use minijinja::machinery::{Span, Token, parse, tokenize};
use minijinja::syntax::SyntaxConfig;

use crate::template::Problem;

/// Maximum length of a template in bytes.
const TEXT: usize = 64 << 10;
/// Most names, values and operators between `{{` and `}}`, or `{%` and `%}`.
const TOKENS: usize = 200;
/// Maximum nesting depth of brackets, and of blocks.
const DEPTH: usize = 16;
/// Most `elif` in a template: each is parsed within the one before.
const ELIFS: usize = 50;

/// The filters that operands go through: of `~`, which makes them text,
pub(crate) const JOIN: &str = "~";
/// of a value of which one element is taken, and of its key,
pub(crate) const ITEM: &str = "[]";
/// and of those that operators may read as a whole.
pub(crate) const OPERANDS: [&str; 5] = ["+", COMPARISON, SLICE, ARGUMENT, KEY];
const COMPARISON: &str = "comparison";
const SLICE: &str = "[:]";
const ARGUMENT: &str = "()";
const KEY: &str = "{}";

/// Reads a template.
///
/// # Errors
/// Its syntax is wrong, or it has what templates may not have.
pub(crate) fn read(text: &str) -> Result<Stmt<'_>, Problem> {
    read_with_uses(text).map(|(read, _)| read)
}

/// A filter or test that a template uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) is_filter: bool,
    pub(crate) name: String,
    /// 1-based line of the template.
    pub(crate) line: usize,
}

/// A call of a function by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Called {
    pub(crate) function: String,
    /// The names of its arguments that have one.
    pub(crate) named: Vec<String>,
    /// Number of arguments without a name.
    pub(crate) unnamed: usize,
    /// 1-based line of the template.
    pub(crate) line: usize,
}

/// The filters, tests and functions that a template uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    pub(crate) filters_and_tests: Vec<Use>,
    pub(crate) calls: Vec<Called>,
}

/// Reads a template, and lists the filters, tests and functions that it uses.
///
/// # Errors
/// Its syntax is wrong, or it has what templates may not have.
pub(crate) fn read_with_uses(text: &str) -> Result<(Stmt<'_>, Uses), Problem> {
    if text.len() > TEXT {
        return Err(Problem { message: format!("a template has at most {} KiB", TEXT >> 10), line: 1 });
    }
    check_size(text)?;
    let parsed = parse(text, "template", SyntaxConfig::default()).map_err(|error| Problem::from(&error))?;
    let mut reader = Reader::default();
    let read = reader.statement(&parsed)?;
    Ok((read, reader.uses))
}

fn problem(span: Span, message: impl Into<String>) -> Problem {
    Problem { message: message.into(), line: usize::from(span.start_line) }
}

/// Checks length and depth, so that parsing the template needs little stack.
#[expect(clippy::wildcard_enum_match_arm, reason = "the other tokens are only counted")]
fn check_size(text: &str) -> Result<(), Problem> {
    let (mut tokens, mut brackets, mut blocks, mut elifs) = (0, 0_usize, 0_usize, 0);
    for token in tokenize(text, false, SyntaxConfig::default()) {
        // The parser reports this error better.
        let Ok((token, span)) = token else { return Ok(()) };
        tokens += 1;
        match token {
            Token::VariableStart | Token::BlockStart => (tokens, brackets) = (0, 0),
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => brackets += 1,
            Token::ParenClose | Token::BracketClose | Token::BraceClose => {
                brackets = brackets.saturating_sub(1);
            }
            Token::Ident("elif") => elifs += 1,
            Token::Ident("endfor" | "endif" | "endwith" | "endfilter" | "endautoescape") if tokens == 1 => {
                blocks = blocks.saturating_sub(1);
            }
            Token::Ident("for" | "if" | "with" | "filter" | "autoescape") if tokens == 1 => blocks += 1,
            _ => {}
        }
        if tokens > TOKENS {
            return Err(problem(
                span,
                format!("an expression has at most {TOKENS} names, values and operators"),
            ));
        }
        if brackets > DEPTH {
            return Err(problem(span, format!("brackets are nested deeper than {DEPTH}")));
        }
        if blocks > DEPTH {
            return Err(problem(span, format!("blocks are nested deeper than {DEPTH}")));
        }
        if elifs > ELIFS {
            return Err(problem(span, format!("a template has at most {ELIFS} `elif`")));
        }
    }
    Ok(())
}

/// Reads statements and expressions one by one.
#[derive(Default)]
struct Reader {
    /// Whether the expression that is being read has a slice, or a list or map of other than constants. Variables that are
    /// made of one another in this way could be nested deeply.
    nests: bool,
    uses: Uses,
}

impl Reader {
    fn statements<'a>(&mut self, list: &[Stmt<'a>]) -> Result<Vec<Stmt<'a>>, Problem> {
        list.iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement<'a>(&mut self, read: &Stmt<'a>) -> Result<Stmt<'a>, Problem> {
        let refuse =
            |span: Span, what: &str| Err(problem(span, format!("{what} is not supported in templates")));
        Ok(match read {
            Stmt::Template(it) => {
                Stmt::Template(Spanned::new(Template { children: self.statements(&it.children)? }, it.span()))
            }
            // As an expression it goes through the formatter, which bounds the output.
            Stmt::EmitRaw(it) => {
                let expr = Expr::Const(Spanned::new(Const { value: it.raw.into() }, it.span()));
                Stmt::EmitExpr(Spanned::new(EmitExpr { expr }, it.span()))
            }
            Stmt::EmitExpr(it) => {
                Stmt::EmitExpr(Spanned::new(EmitExpr { expr: self.expression(&it.expr)? }, it.span()))
            }
            Stmt::IfCond(it) => {
                let expr = self.expression(&it.expr)?;
                let (true_body, false_body) =
                    (self.statements(&it.true_body)?, self.statements(&it.false_body)?);
                Stmt::IfCond(Spanned::new(IfCond { expr, true_body, false_body }, it.span()))
            }
            Stmt::ForLoop(it) if it.recursive => return refuse(it.span(), "a recursive loop"),
            Stmt::ForLoop(it) => {
                let read = ForLoop {
                    target: self.expression(&it.target)?,
                    iter: self.kept(&it.iter)?,
                    filter_expr: self.optional(it.filter_expr.as_ref())?,
                    recursive: false,
                    body: self.statements(&it.body)?,
                    else_body: self.statements(&it.else_body)?,
                };
                Stmt::ForLoop(Spanned::new(read, it.span()))
            }
            Stmt::WithBlock(it) => {
                let mut assignments = Vec::new();
                for (target, value) in &it.assignments {
                    assignments.push((self.expression(target)?, self.kept(value)?));
                }
                let body = self.statements(&it.body)?;
                Stmt::WithBlock(Spanned::new(WithBlock { assignments, body }, it.span()))
            }
            Stmt::Set(it) => {
                let read = Set { target: self.expression(&it.target)?, expr: self.kept(&it.expr)? };
                Stmt::Set(Spanned::new(read, it.span()))
            }
            Stmt::SetBlock(it) => return refuse(it.span(), "`set` with a block"),
            Stmt::AutoEscape(it) => return refuse(it.span(), "`autoescape`"),
            Stmt::FilterBlock(it) => return refuse(it.span(), "`filter` with a block"),
            Stmt::Do(it) => return refuse(it.span(), "`do`"),
        })
    }

    /// Reads an expression whose value a variable keeps.
    fn kept<'a>(&mut self, read: &Expr<'a>) -> Result<Expr<'a>, Problem> {
        self.nests = false;
        let value = self.expression(read)?;
        if self.nests {
            let message =
                "`set`, `with` and `for` take no value with a slice or a new list: write it where it is used";
            return Err(problem(read.span(), message));
        }
        Ok(value)
    }

    fn expression<'a>(&mut self, read: &Expr<'a>) -> Result<Expr<'a>, Problem> {
        let span = read.span();
        let collects = |list: &[Expr<'_>]| !list.iter().all(|item| matches!(item, Expr::Const(_)));
        Ok(match read {
            Expr::Var(it) => Expr::Var(Spanned::new(Var { id: it.id }, span)),
            Expr::Const(it) => Expr::Const(Spanned::new(Const { value: it.value.clone() }, span)),
            Expr::Slice(it) => {
                self.nests = true;
                let slice = Slice {
                    expr: self.operand(Some(SLICE), &it.expr)?,
                    start: self.optional(it.start.as_ref())?,
                    stop: self.optional(it.stop.as_ref())?,
                    step: self.optional(it.step.as_ref())?,
                };
                Expr::Slice(Spanned::new(slice, span))
            }
            Expr::UnaryOp(it) => {
                // It cannot be copied.
                let is_not = matches!(it.op, UnaryOpKind::Not);
                let op = if is_not { UnaryOpKind::Not } else { UnaryOpKind::Neg };
                Expr::UnaryOp(Spanned::new(UnaryOp { op, expr: self.expression(&it.expr)? }, span))
            }
            Expr::BinOp(it) => Expr::BinOp(Spanned::new(self.operation(it, span)?, span)),
            Expr::Compare(it) => Expr::Compare(Spanned::new(self.comparison(it)?, span)),
            Expr::IfExpr(it) => {
                let read = IfExpr {
                    test_expr: self.expression(&it.test_expr)?,
                    true_expr: self.expression(&it.true_expr)?,
                    false_expr: self.optional(it.false_expr.as_ref())?,
                };
                Expr::IfExpr(Spanned::new(read, span))
            }
            // Filters and tests count what they take themselves.
            Expr::Filter(it) => {
                self.note_use(true, it.name, span);
                let (expr, args) = (self.optional(it.expr.as_ref())?, self.arguments(&it.args)?);
                Expr::Filter(Spanned::new(Filter { name: it.name, expr, args }, span))
            }
            Expr::Test(it) => {
                self.note_use(false, it.name, span);
                let (expr, args) = (self.expression(&it.expr)?, self.arguments(&it.args)?);
                Expr::Test(Spanned::new(Test { name: it.name, expr, args }, span))
            }
            Expr::GetAttr(it) => {
                Expr::GetAttr(Spanned::new(GetAttr { expr: self.expression(&it.expr)?, name: it.name }, span))
            }
            Expr::GetItem(it) => {
                let (expr, subscript_expr) =
                    (self.operand(Some(ITEM), &it.expr)?, self.operand(Some(ITEM), &it.subscript_expr)?);
                Expr::GetItem(Spanned::new(GetItem { expr, subscript_expr }, span))
            }
            Expr::Call(it) => {
                self.note_call(it, span);
                let (expr, args) = (self.expression(&it.expr)?, self.arguments(&it.args)?);
                Expr::Call(Spanned::new(Call { expr, args }, span))
            }
            Expr::List(it) => {
                self.nests |= collects(&it.items);
                Expr::List(Spanned::new(List { items: self.expressions(&it.items)? }, span))
            }
            Expr::Tuple(it) => {
                self.nests |= collects(&it.items);
                Expr::Tuple(Spanned::new(Tuple { items: self.expressions(&it.items)? }, span))
            }
            Expr::Map(it) => {
                self.nests |= collects(&it.keys) || collects(&it.values);
                let keys =
                    it.keys.iter().map(|key| self.operand(Some(KEY), key)).collect::<Result<_, _>>()?;
                Expr::Map(Spanned::new(Map { keys, values: self.expressions(&it.values)? }, span))
            }
        })
    }

    fn note_use(&mut self, is_filter: bool, name: &str, span: Span) {
        self.uses.filters_and_tests.push(Use {
            is_filter,
            name: name.to_owned(),
            line: usize::from(span.start_line),
        });
    }

    fn note_call(&mut self, call: &Call<'_>, span: Span) {
        let Expr::Var(function) = &call.expr else { return };
        let named = |argument: &CallArg<'_>| match argument {
            CallArg::Kwarg(name, _) => Some((*name).to_owned()),
            CallArg::Pos(_) | CallArg::PosSplat(_) | CallArg::KwargSplat(_) => None,
        };
        self.uses.calls.push(Called {
            function: function.id.to_owned(),
            named: call.args.iter().filter_map(named).collect(),
            unnamed: call.args.iter().filter(|argument| matches!(argument, CallArg::Pos(_))).count(),
            line: usize::from(span.start_line),
        });
    }

    fn expressions<'a>(&mut self, list: &[Expr<'a>]) -> Result<Vec<Expr<'a>>, Problem> {
        list.iter().map(|item| self.expression(item)).collect()
    }

    fn optional<'a>(&mut self, read: Option<&Expr<'a>>) -> Result<Option<Expr<'a>>, Problem> {
        read.map(|read| self.expression(read)).transpose()
    }

    fn operation<'a>(&mut self, read: &BinOp<'a>, span: Span) -> Result<BinOp<'a>, Problem> {
        use BinOpKind::{
            Add, Concat, Div, Eq, FloorDiv, Gt, Gte, In, Lt, Lte, Mul, Ne, Pow, Rem, ScAnd, ScOr, Sub,
        };
        let filter = match read.op {
            Mul => return Err(problem(span, "`*` is not supported in templates")),
            Concat => Some(JOIN),
            Add => Some("+"),
            Eq | Ne | Lt | Lte | Gt | Gte | In => Some(COMPARISON),
            // They work on numbers, or give one of their operands.
            Sub | Div | FloorDiv | Rem | Pow | ScAnd | ScOr => None,
        };
        let (left, right) = (self.operand(filter, &read.left)?, self.operand(filter, &read.right)?);
        Ok(BinOp { op: read.op, left, right })
    }

    fn comparison<'a>(&mut self, read: &Compare<'a>) -> Result<Compare<'a>, Problem> {
        // To compare with a constant takes little, however long the other value is.
        let is_short = match read.ops.as_slice() {
            [CompareOp { op: CompareOpKind::In | CompareOpKind::NotIn, expr }] => is_constant(expr),
            [other] => is_constant(&read.expr) || is_constant(&other.expr),
            _ => false,
        };
        let filter = (!is_short).then_some(COMPARISON);
        let mut ops = Vec::new();
        for it in &read.ops {
            ops.push(CompareOp { op: it.op, expr: self.operand(filter, &it.expr)? });
        }
        Ok(Compare { expr: self.operand(filter, &read.expr)?, ops })
    }

    /// Reads an operand, which goes through the filter of its operator. A constant is short, and goes through none.
    fn operand<'a>(&mut self, filter: Option<&'static str>, read: &Expr<'a>) -> Result<Expr<'a>, Problem> {
        let value = self.expression(read)?;
        Ok(match filter {
            Some(name) if !is_constant(read) => {
                Expr::Filter(Spanned::new(Filter { name, expr: Some(value), args: Vec::new() }, read.span()))
            }
            _ => value,
        })
    }

    fn arguments<'a>(&mut self, list: &[CallArg<'a>]) -> Result<Vec<CallArg<'a>>, Problem> {
        let argument = |argument: &CallArg<'a>| {
            Ok(match argument {
                CallArg::Pos(it) => CallArg::Pos(self.operand(Some(ARGUMENT), it)?),
                CallArg::Kwarg(name, it) => CallArg::Kwarg(name, self.operand(Some(ARGUMENT), it)?),
                CallArg::PosSplat(it) => CallArg::PosSplat(self.operand(Some(ARGUMENT), it)?),
                CallArg::KwargSplat(it) => CallArg::KwargSplat(self.operand(Some(ARGUMENT), it)?),
            })
        };
        list.iter().map(argument).collect()
    }
}

fn is_constant(expression: &Expr<'_>) -> bool {
    expression.as_const().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_templates_are_fine() {
        for text in [
            "{\"a\": {{ data.id | tojson }}, \"b\": \"{{ event ~ '-' ~ businessId + 1 }}\"}",
            "{% for m in data.messages | reverse if m.text %}{{ m.text | default('') | tojson }}{% endfor %}",
            "{% set last = data.messages | last %}{{ last.text[:20] | tojson }}",
            "{% set name = data.contact.firstName ~ ' ' ~ data.contact.lastName %}{{ name | tojson }}",
            "{% with count = data.messages | length + 1 %}{% for m in data.messages %}{{ count ~ m.text }}{% endfor %}{% endwith %}",
            "{% set a = data ~ data %}{% set b = a ~ a %}{{ b ~ [event, a] }}",
            "{% for x in ['a', 'b'] %}{% if x == 'a' %}1{% elif loop.last %}2{% else %}3{% endif %}{% endfor %}",
            "{{ {'a': data, 'b': [event, 1]} | tojson }} {% raw %}{{ * }}{% endraw %} {# a ~ b #}",
        ] {
            assert_eq!(read(text).err(), None, "{text}");
        }
    }

    #[test]
    fn what_could_use_up_the_stack_is_refused() {
        let nested =
            |open: &str, close: &str, times| format!("{}1{}", open.repeat(times), close.repeat(times));
        for (text, message) in [
            ("\n{{ 'a' * 9 }}", "`*`"),
            ("{% for a in [a, a] %}{% endfor %}", "take no value"),
            ("{% set a = a, a %}", "take no value"),
            ("{% set a %}x{% endset %}", "`set` with a block"),
            ("{% filter upper %}x{% endfilter %}", "`filter` with a block"),
            ("{% for a in b recursive %}{{ loop(b) }}{% endfor %}", "recursive"),
            (&format!("{{{{ {}1 }}}}", "1 - ".repeat(8000)), "at most 200"),
            (&format!("{{{{ {}1 }}}}", "not ".repeat(8000)), "at most 200"),
            (&format!("{{{{ a{} }}}}", "|e".repeat(8000)), "at most 200"),
            (&format!("{{{{ {} }}}}", nested("(", ")", 60)), "brackets"),
            (&format!("{{{{ {} }}}}", nested("[", "]", 20_000)), "brackets"),
            (&nested("{% if 1 %}", "{% endif %}", 2000), "blocks"),
            (&nested("{%for a in b%}", "{%endfor%}", 2000), "blocks"),
            (&format!("{{% if 1 %}}{}{{% endif %}}", "{% elif 1 %}".repeat(4000)), "`elif`"),
            (&"a".repeat(TEXT + 1), "64 KiB"),
        ] {
            let problem = read(text).err().unwrap();
            assert!(problem.message.contains(message), "{text:.60}: {problem:?}");
        }
        assert_eq!(read("\n{{ 'a' * 9 }}").err().unwrap().line, 2);
    }
}
