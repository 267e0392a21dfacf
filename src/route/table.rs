//! The routes of a scenario, and finding the one for a request.

use crate::fault::request::Request;
use crate::route::path::{Index, plain};
use crate::route::{Method, Route};

#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) routes: Vec<Route>,
    index: Index,
}

/// What is at a path.
#[derive(Debug, PartialEq)]
pub(crate) enum Found<'a> {
    Route(&'a Route),
    /// There are routes for other methods.
    Method(Vec<Method>),
    /// There are routes, and none of their conditions holds.
    NoCondition,
    Nothing,
}

impl Table {
    pub(crate) fn new(routes: Vec<Route>) -> Self {
        let index = Index::new(routes.iter().map(|route| &route.path));
        Self { routes, index }
    }

    /// The first route for a request.
    pub(crate) fn find(&self, request: &Request<'_>) -> Found<'_> {
        let at_path = self.index.find(plain(request.call.path));
        let routes = || at_path.iter().filter_map(|at| self.routes.get(*at as usize));
        let takes = |route: &&Route| route.methods.iter().any(|method| method.name() == request.call.method);
        if at_path.is_empty() {
            return Found::Nothing;
        }
        let mut taking = routes().filter(takes).peekable();
        if taking.peek().is_none() {
            let mut methods: Vec<Method> = routes().flat_map(|route| route.methods.clone()).collect();
            methods.sort_unstable();
            methods.dedup();
            return Found::Method(methods);
        }
        taking.find(|route| request.meets(&route.condition)).map_or(Found::NoCondition, Found::Route)
    }

    /// The methods that may be sent to a path: those of its routes, and POST, which the operations take.
    pub(crate) fn methods_at(&self, path: &str) -> String {
        let at_path = self.index.find(plain(path));
        let routes = at_path.iter().filter_map(|at| self.routes.get(*at as usize));
        let mut methods: Vec<&str> = routes.flat_map(|route| &route.methods).map(|it| it.name()).collect();
        methods.push("POST");
        methods.sort_unstable();
        methods.dedup();
        methods.join(", ")
    }

    /// Whether a route at a path has a template that uses one of these names.
    pub(crate) fn uses_at(&self, path: &str, names: &[&str]) -> bool {
        let mut at_path = self.index.find(plain(path)).into_iter();
        at_path.any(|at| self.routes.get(at as usize).is_some_and(|route| route.uses(names)))
    }

    /// The paths, each once, in the order of the routes.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.routes.iter().map(|route| route.path.text())
    }
}
