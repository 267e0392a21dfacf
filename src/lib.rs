//! Standin: a fake business-reputation backend that behaves like the real one.

pub mod api;
pub mod auth;
pub mod clock;
pub mod dataset;
pub mod draw;
pub mod expect;
pub mod fault;
pub mod scenario;
pub mod webhook;
