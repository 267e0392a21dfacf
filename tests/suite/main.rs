//! The program from outside, over real HTTP. One binary: `harness` starts the program and speaks to it in verbs, and
//! each topic has a module.
//!
//! The modules are under `cfg(test)` so that clippy knows their helpers for what they are.

#[cfg(test)]
mod harness;
#[cfg(test)]
mod stage;

#[cfg(test)]
mod contact;
#[cfg(test)]
mod qna;
#[cfg(test)]
mod reviews;
#[cfg(test)]
mod sentiment_benchmark;
#[cfg(test)]
mod sentiment_locations;
#[cfg(test)]
mod subscribe;

#[cfg(test)]
mod added;
#[cfg(test)]
mod admin;
#[cfg(test)]
mod client_leaves;
#[cfg(test)]
mod cors;
#[cfg(test)]
mod dialect;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod journal;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod log;
#[cfg(test)]
mod metrics;
#[cfg(test)]
mod stream;
#[cfg(test)]
mod repeated;
#[cfg(test)]
mod receiver;
#[cfg(test)]
mod webhooks;
#[cfg(test)]
mod openapi;
#[cfg(test)]
mod transport;
#[cfg(test)]
mod worlds;
#[cfg(test)]
mod catalogue;
#[cfg(test)]
mod coherence;
#[cfg(test)]
mod determinism;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod watching;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod fault_example;
#[cfg(test)]
mod fault_wire;
#[cfg(test)]
mod runtime_faults;
#[cfg(test)]
mod scenarios_put;
