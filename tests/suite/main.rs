//! Tests of the running program over HTTP: `harness` starts it and sends requests, and each topic has a module.
#![cfg(test)] // Clippy allows `unwrap` in what is marked as a test.

mod harness;
mod stage;

mod contact;
mod qna;
mod reviews;
mod sentiment_benchmark;
mod sentiment_locations;
mod subscribe;

mod added;
mod assets;
mod console;
mod admin;
mod client_leaves;
mod connections;
mod cors;
mod dialect;
mod examples;
mod journal;
mod report;
mod limits;
mod log;
mod mcp;
mod metrics;
mod stream;
mod receiver;
mod webhooks;
mod openapi;
mod transport;
mod worlds;
mod catalogue;
mod coherence;
mod determinism;
mod commands;
mod health;
mod snapshot;
mod run;
mod run_verdict;
mod replay;
mod explore;
#[cfg(target_os = "linux")]
mod run_leftovers;
mod watching;
mod faults;
mod fault_example;
mod fault_wire;
mod runtime_faults;
mod verify;
mod scenarios_put;
