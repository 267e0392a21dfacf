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
        let at_path: Vec<&Route> = self.at(request.call.path).collect();
        let takes = |route: &&Route| route.methods.iter().any(|method| method.name() == request.call.method);
        if at_path.is_empty() {
            return Found::Nothing;
        }
        let mut taking = at_path.iter().copied().filter(takes).peekable();
        if taking.peek().is_none() {
            let mut methods: Vec<Method> = at_path.iter().flat_map(|route| route.methods.clone()).collect();
            methods.sort_unstable();
            methods.dedup();
            return Found::Method(methods);
        }
        taking.find(|route| request.meets(&route.condition)).map_or(Found::NoCondition, Found::Route)
    }

    /// The methods that may be sent to a path: those of its routes, and POST, which the operations take.
    pub(crate) fn methods_at(&self, path: &str) -> String {
        let mut methods: Vec<&str> =
            self.at(path).flat_map(|route| &route.methods).map(|method| method.name()).collect();
        methods.push("POST");
        methods.sort_unstable();
        methods.dedup();
        methods.join(", ")
    }

    /// Whether a route at a path has a template that uses one of these names.
    pub(crate) fn uses_at(&self, path: &str, names: &[&str]) -> bool {
        self.at(path).any(|route| route.uses(names))
    }

    /// The routes at a path.
    fn at(&self, path: &str) -> impl Iterator<Item = &Route> {
        self.index.find(plain(path)).into_iter().filter_map(|at| self.routes.get(at as usize))
    }

    /// The paths, each once, in the order of the routes.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.routes.iter().map(|route| route.path.text())
    }
}
