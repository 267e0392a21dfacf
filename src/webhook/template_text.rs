//! What the text of a template may say. Steps of a rendering are counted, but one step could still double a text, and parsing
//! deeply nested text could use up the stack. So expressions are bounded in length and depth, a variable keeps few joined
//! texts and none that is made of another variable, and statements that keep what they render are not supported.

use std::collections::BTreeSet;

use minijinja::machinery::ast::{BinOpKind, CallArg, Expr, Stmt};
use minijinja::machinery::{Span, Token, parse, tokenize};
use minijinja::syntax::SyntaxConfig;

use crate::webhook::template::Problem;

/// Maximum length of a template in bytes.
const TEXT: usize = 64 << 10;
/// Most names, values and operators between `{{` and `}}`, or `{%` and `%}`.
const TOKENS: usize = 200;
/// Maximum nesting depth of brackets, and of blocks.
const DEPTH: usize = 16;
/// Most `elif` in a template: each is parsed within the one before.
const ELIFS: usize = 50;
/// Most `~` and `+` in one expression.
const JOINS: usize = 8;
/// Most `~` and `+` in all values of `set`, `with` and `for` together.
const KEPT_JOINS: usize = 16;

/// Checks a template. An error of its syntax is reported too.
pub(crate) fn check(text: &str) -> Result<(), Problem> {
    if text.len() > TEXT {
        return Err(Problem { message: format!("a template has at most {} KiB", TEXT >> 10), line: 1 });
    }
    check_size(text)?;
    let parsed = parse(text, "template", SyntaxConfig::default()).map_err(|error| Problem::from(&error))?;
    let mut checks = Checks::default();
    checks.made.insert("loop");
    checks.find_made(&parsed);
    checks.statement(&parsed)
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

/// The checks of one template.
#[derive(Default)]
struct Checks<'a> {
    /// The variables that the template makes anywhere. All other names are those of the payload.
    made: BTreeSet<&'a str>,
    /// The number of `~` and `+` whose result a variable keeps.
    kept_joins: usize,
}

impl<'a> Checks<'a> {
    /// Collects the names of `set`, `with` and `for`.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other statements make no variable")]
    fn find_made(&mut self, statement: &Stmt<'a>) {
        let (targets, inner): (Vec<&Expr<'a>>, [&[Stmt<'a>]; 2]) = match statement {
            Stmt::Template(it) => (Vec::new(), [&it.children, &[]]),
            Stmt::IfCond(it) => (Vec::new(), [&it.true_body, &it.false_body]),
            Stmt::ForLoop(it) => (vec![&it.target], [&it.body, &it.else_body]),
            Stmt::WithBlock(it) => {
                (it.assignments.iter().map(|(target, _)| target).collect(), [&it.body, &[]])
            }
            Stmt::Set(it) => (vec![&it.target], [&[], &[]]),
            _ => return,
        };
        for target in targets {
            self.name_made(target);
        }
        inner.into_iter().flatten().for_each(|statement| self.find_made(statement));
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other expressions are no names")]
    fn name_made(&mut self, target: &Expr<'a>) {
        match target {
            Expr::Var(it) => {
                self.made.insert(it.id);
            }
            Expr::List(it) => it.items.iter().for_each(|item| self.name_made(item)),
            Expr::Tuple(it) => it.items.iter().for_each(|item| self.name_made(item)),
            _ => {}
        }
    }

    fn statements(&mut self, list: &[Stmt<'a>]) -> Result<(), Problem> {
        list.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Stmt<'a>) -> Result<(), Problem> {
        let refuse =
            |span: Span, what: &str| Err(problem(span, format!("{what} is not supported in templates")));
        match statement {
            Stmt::Template(it) => self.statements(&it.children),
            Stmt::EmitRaw(_) => Ok(()),
            Stmt::EmitExpr(it) => written(&it.expr).map(|_| ()),
            Stmt::IfCond(it) => {
                written(&it.expr)?;
                self.statements(&it.true_body)?;
                self.statements(&it.false_body)
            }
            Stmt::ForLoop(it) if it.recursive => refuse(it.span(), "a recursive loop"),
            Stmt::ForLoop(it) => {
                self.kept(&it.iter)?;
                it.filter_expr.as_ref().map_or(Ok(()), |filter| written(filter).map(|_| ()))?;
                self.statements(&it.body)?;
                self.statements(&it.else_body)
            }
            Stmt::WithBlock(it) => {
                it.assignments.iter().try_for_each(|(_, value)| self.kept(value))?;
                self.statements(&it.body)
            }
            Stmt::Set(it) => self.kept(&it.expr),
            Stmt::SetBlock(it) => refuse(it.span(), "`set` with a block"),
            Stmt::AutoEscape(it) => refuse(it.span(), "`autoescape`"),
            Stmt::FilterBlock(it) => refuse(it.span(), "`filter` with a block"),
            Stmt::Do(it) => refuse(it.span(), "`do`"),
        }
    }

    /// Checks an expression whose value a variable keeps. If it is larger than what it is made of, the next variable must not
    /// be made of that one, and there must be few of them.
    fn kept(&mut self, expression: &Expr<'a>) -> Result<(), Problem> {
        let parts = written(expression)?;
        if parts.collects || parts.slices {
            let message =
                "`set`, `with` and `for` take no value with a slice or a new list: write it where it is used";
            return Err(problem(expression.span(), message));
        }
        if parts.joins > 0
            && let Some(name) = parts.names.iter().find(|name| self.made.contains(*name))
        {
            let message = format!(
                "`set`, `with` and `for` take no value with `~` or `+` and the variable `{name}`, which the template makes: write it where it is used"
            );
            return Err(problem(expression.span(), message));
        }
        self.kept_joins += parts.joins;
        if self.kept_joins > KEPT_JOINS {
            let message = format!(
                "the values of `set`, `with` and `for` have at most {KEPT_JOINS} `~` and `+` together: write some where they are used"
            );
            return Err(problem(expression.span(), message));
        }
        Ok(())
    }
}

/// What an expression has.
#[derive(Default)]
struct Parts<'a> {
    /// Names of variables.
    names: Vec<&'a str>,
    /// The number of `~` and `+`.
    joins: usize,
    /// Whether there is a list or map of other than constants.
    collects: bool,
    /// Whether there is a slice (`a[1:]`).
    slices: bool,
}

/// Checks an expression whose value is written or tested, and then gone.
fn written<'a>(expression: &Expr<'a>) -> Result<Parts<'a>, Problem> {
    let mut parts = Parts::default();
    look(expression, &mut parts)?;
    if parts.joins > JOINS {
        let message = format!("an expression has at most {JOINS} `~` and `+`: write several `{{{{ … }}}}`");
        return Err(problem(expression.span(), message));
    }
    if parts.joins > 0 && parts.collects {
        return Err(problem(
            expression.span(),
            "`~` and `+` do not go together with lists and maps in one expression",
        ));
    }
    Ok(parts)
}

/// Collects what an expression has.
#[expect(clippy::wildcard_enum_match_arm, reason = "the other operators make no text longer")]
fn look<'a>(expression: &Expr<'a>, parts: &mut Parts<'a>) -> Result<(), Problem> {
    let all = |list: &[Expr<'a>], parts: &mut Parts<'a>| list.iter().try_for_each(|item| look(item, parts));
    let collects = |list: &[Expr<'_>]| !list.iter().all(|item| matches!(item, Expr::Const(_)));
    match expression {
        Expr::Var(it) => {
            parts.names.push(it.id);
            Ok(())
        }
        Expr::Const(_) => Ok(()),
        Expr::Slice(it) => {
            parts.slices = true;
            look(&it.expr, parts)?;
            [&it.start, &it.stop, &it.step].into_iter().flatten().try_for_each(|part| look(part, parts))
        }
        Expr::UnaryOp(it) => look(&it.expr, parts),
        Expr::BinOp(it) => {
            match it.op {
                BinOpKind::Mul => return Err(problem(it.span(), "`*` is not supported in templates")),
                BinOpKind::Concat | BinOpKind::Add => parts.joins += 1,
                _ => {}
            }
            look(&it.left, parts)?;
            look(&it.right, parts)
        }
        Expr::Compare(it) => {
            look(&it.expr, parts)?;
            it.ops.iter().try_for_each(|op| look(&op.expr, parts))
        }
        Expr::IfExpr(it) => {
            look(&it.test_expr, parts)?;
            look(&it.true_expr, parts)?;
            it.false_expr.as_ref().map_or(Ok(()), |other| look(other, parts))
        }
        Expr::Filter(it) => {
            it.expr.as_ref().map_or(Ok(()), |value| look(value, parts))?;
            arguments(&it.args, parts)
        }
        Expr::Test(it) => {
            look(&it.expr, parts)?;
            arguments(&it.args, parts)
        }
        Expr::GetAttr(it) => look(&it.expr, parts),
        Expr::GetItem(it) => {
            look(&it.expr, parts)?;
            look(&it.subscript_expr, parts)
        }
        Expr::Call(it) => {
            look(&it.expr, parts)?;
            arguments(&it.args, parts)
        }
        Expr::List(it) => {
            parts.collects |= collects(&it.items);
            all(&it.items, parts)
        }
        Expr::Tuple(it) => {
            parts.collects |= collects(&it.items);
            all(&it.items, parts)
        }
        Expr::Map(it) => {
            parts.collects |= collects(&it.keys) || collects(&it.values);
            all(&it.keys, parts)?;
            all(&it.values, parts)
        }
    }
}

fn arguments<'a>(list: &[CallArg<'a>], parts: &mut Parts<'a>) -> Result<(), Problem> {
    list.iter().try_for_each(|argument| match argument {
        CallArg::Pos(value)
        | CallArg::Kwarg(_, value)
        | CallArg::PosSplat(value)
        | CallArg::KwargSplat(value) => look(value, parts),
    })
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
            "{% for x in ['a', 'b'] %}{% if x == 'a' %}1{% elif loop.last %}2{% else %}3{% endif %}{% endfor %}",
            "{{ {'a': data, 'b': [event, 1]} | tojson }} {% raw %}{{ * }}{% endraw %} {# a ~ b #}",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_could_double_a_text_or_use_up_the_stack_is_refused() {
        let nested =
            |open: &str, close: &str, times| format!("{}1{}", open.repeat(times), close.repeat(times));
        for (text, message) in [
            ("\n{{ 'a' * 9 }}", "`*`"),
            ("{% set a = a ~ a %}", "the variable `a`"),
            ("{% with a = a + a %}{% endwith %}", "the variable `a`"),
            ("{% set b = data ~ data %}{% set c = b ~ b %}", "the variable `b`"),
            ("{% for m in data %}{% set c = (m.a | upper) ~ data %}{% endfor %}", "the variable `m`"),
            ("{% for m in data %}{% set c = data ~ loop.previtem %}{% endfor %}", "the variable `loop`"),
            (
                "{% if 1 %}{% set c = data[b] ~ '' %}{% else %}{% with (x, b) = data %}{% endwith %}{% endif %}",
                "the variable `b`",
            ),
            (&"{% set c = data ~ data %}".repeat(17), "at most 16"),
            (&format!("{{% set c = {}a %}}", "a ~ ".repeat(9)), "at most 8"),
            ("{% for a in [a, a] %}{% endfor %}", "take no value"),
            ("{% set a = a, a %}", "take no value"),
            ("{% set a %}x{% endset %}", "`set` with a block"),
            ("{% filter upper %}x{% endfilter %}", "`filter` with a block"),
            ("{% for a in b recursive %}{{ loop(b) }}{% endfor %}", "recursive"),
            ("{{ [a, a] ~ '' }}", "lists and maps"),
            (&format!("{{{{ {}a }}}}", "a ~ ".repeat(9)), "at most 8"),
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
            let problem = check(text).unwrap_err();
            assert!(problem.message.contains(message), "{text:.60}: {problem:?}");
        }
        assert_eq!(check("\n{{ 'a' * 9 }}").unwrap_err().line, 2);
    }
}
