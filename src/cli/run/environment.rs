//! The environment of the command.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use minijinja::{Environment, Error, UndefinedBehavior, Value, context};

use crate::cli::run::access::Access;
use crate::cli::serve::Failure;

/// What templates may use.
const ALLOWED: &str =
    "a template may use base_url, admin_url, api_key, business_number, world and port, as in {{base_url}}/v1";

/// The variables `STANDIN_…`, and those of `--env`, which may replace them. `base_path` is that of the base URL.
///
/// # Errors
/// A template cannot be rendered.
pub(in crate::cli) fn variables(
    address: SocketAddr,
    base_path: &str,
    access: &Access,
    templates: &[(String, String)],
) -> Result<Vec<(String, String)>, Failure> {
    let base_url = format!("http://{address}{base_path}");
    let admin_url = format!("http://{address}/__admin");
    let number = access.business.map(|number| number.to_string());
    let names = context! {
        base_url => &base_url,
        admin_url => &admin_url,
        api_key => &access.key,
        // If there is none, templates do not know it.
        business_number => number.as_deref().map_or(Value::UNDEFINED, Value::from),
        world => &access.world,
        port => address.port(),
    };
    let mut variables: Vec<(String, String)> = [
        ("STANDIN_BASE_URL", base_url),
        ("STANDIN_ADMIN_URL", admin_url),
        ("STANDIN_API_KEY", access.key.clone()),
        ("STANDIN_BUSINESS_NUMBER", number.unwrap_or_default()),
        ("STANDIN_WORLD", access.world.clone()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    for (name, template) in templates {
        let compiled = environment.template_from_str(template).map_err(|error| failure(name, &error))?;
        let used: BTreeSet<String> = compiled.undeclared_variables(false).into_iter().collect();
        if let Some(unknown) = used.iter().find(|used| !is_known(&names, used)) {
            return Err(Failure::usage(format!("--env {name}: `{unknown}` is unknown: {ALLOWED}")));
        }
        let value = compiled.render(&names).map_err(|error| failure(name, &error))?;
        variables.push((name.clone(), value));
    }
    Ok(variables)
}

fn is_known(names: &Value, name: &str) -> bool {
    names.get_attr(name).is_ok_and(|value| !value.is_undefined())
}

fn failure(name: &str, error: &Error) -> Failure {
    let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    Failure::usage(format!("--env {name}: {}{detail}: {ALLOWED}", error.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(business: Option<u64>, template: &str) -> Result<String, String> {
        let access = Access { key: "k'1".to_owned(), business, world: "default".to_owned() };
        let templates = [("URL".to_owned(), template.to_owned())];
        let address = "127.0.0.1:8123".parse().unwrap();
        let variables = variables(address, "", &access, &templates).map_err(|failure| failure.message)?;
        assert_eq!(
            variables[1],
            ("STANDIN_ADMIN_URL".to_owned(), "http://127.0.0.1:8123/__admin".to_owned())
        );
        Ok(variables.last().unwrap().1.clone())
    }

    #[test]
    fn templates_have_the_names_of_the_run() {
        let template =
            "{{base_url}}/v1?k={{api_key}}&b={{business_number}}&w={{world}}&p={{port + 1}} {{admin_url}}";
        assert_eq!(
            render(Some(100), template).unwrap(),
            "http://127.0.0.1:8123/v1?k=k'1&b=100&w=default&p=8124 http://127.0.0.1:8123/__admin"
        );
        assert_eq!(render(None, "plain").unwrap(), "plain");
    }

    #[test]
    fn a_wrong_template_is_an_error_that_tells_the_names() {
        for (template, part) in
            [("{{bas_url}}", "`bas_url` is unknown"), ("{{", "syntax error"), ("{{port.x.y}}", "undefined")]
        {
            let error = render(Some(1), template).unwrap_err();
            assert!(
                error.starts_with("--env URL: ") && error.contains(part) && error.contains(ALLOWED),
                "{error}"
            );
        }
        assert!(render(None, "{{business_number}}").unwrap_err().contains("`business_number` is unknown"));
    }
}
