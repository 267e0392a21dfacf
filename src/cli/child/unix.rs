//! Waits for the command, passes on signals, and ends it when it takes too long.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::sys::signal::Signal;
use nix::unistd::{Pid, getpgrp};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::cli::child::capture::Capture;
use crate::cli::child::terminal;
use crate::cli::child::{CannotStart, Command, Ended, process};
use crate::clock;

/// The signals that are passed on.
pub(super) const PASSED: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];

/// The children of this process that run a command now. Held for the start of one, so that nothing takes it for what is left of
/// another.
static RUNNING: Mutex<BTreeSet<Pid>> = Mutex::new(BTreeSet::new());

pub(super) fn running() -> MutexGuard<'static, BTreeSet<Pid>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) async fn run(command: Command) -> Result<Ended, CannotStart> {
    let mut signals = signals().map_err(CannotStart)?;
    let mut changes = signal(SignalKind::child()).map_err(CannotStart)?;
    let began = clock::real_now();
    let mut child = match process::start(&command) {
        Ok(child) => child,
        Err(error) => return process::not_started(&command, error),
    };
    let group = group(&child);
    let (mut timed_out, mut passed_signal) = (false, None);
    let mut timer = std::pin::pin!(sleep(command.timeout.unwrap_or(Duration::MAX)));
    let waited = loop {
        match child.try_wait() {
            Ok(None) => process::follow_stop(group),
            Ok(Some(status)) => break Ok(status),
            Err(error) => break Err(CannotStart(error)),
        }
        tokio::select! {
            _ = changes.recv() => {}
            Some(signal) = signals.recv() => {
                process::pass(group, signal);
                if passed_signal.is_none() {
                    passed_signal = Some(signal as i32);
                    if !timed_out {
                        timer.set(sleep(command.grace));
                    }
                }
            }
            () = ended_early(command.capture.as_deref()), if !timed_out => {
                timed_out = true;
                process::pass(group, Signal::SIGTERM);
                timer.set(sleep(command.grace));
            }
            () = &mut timer => {
                if timed_out || passed_signal.is_some() {
                    process::kill_all(group);
                    timer.set(sleep(Duration::MAX));
                } else {
                    timed_out = true;
                    process::pass(group, Signal::SIGTERM);
                    timer.set(sleep(command.grace));
                }
            }
        }
    };
    running().remove(&group);
    process::clean_up(group, waited.as_ref().ok());
    terminal::hand(group, getpgrp());
    let status = waited?;
    let duration = began.elapsed();
    Ok(Ended { code: status.code(), signal: status.signal(), timed_out, passed_signal, duration })
}

/// Waits until somebody asks to end the command.
async fn ended_early(capture: Option<&Capture>) {
    match capture {
        Some(capture) => capture.ended().await,
        None => std::future::pending().await,
    }
}

/// Starts a process as the first of a new process group.
pub(super) fn spawn(mut process: std::process::Command, command: &Command) -> io::Result<Child> {
    process.envs(command.env.iter().map(|(name, value)| (name, value))).process_group(0);
    if let Some(capture) = &command.capture {
        capture.connect(&mut process)?;
    }
    let mut running = running();
    let child = process.spawn()?;
    running.insert(group(&child));
    Ok(child)
}

/// The process group that a process was started with.
pub(super) fn group(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed())
}

pub(super) async fn interruption() -> io::Result<i32> {
    let signal = signals()?.recv().await;
    signal.map(|signal| signal as i32).ok_or_else(|| io::ErrorKind::BrokenPipe.into())
}

/// The signals that this process gets and does not ignore. A shell lets its background jobs ignore SIGINT and SIGQUIT, and
/// `nohup` lets a command ignore SIGHUP.
fn signals() -> io::Result<mpsc::Receiver<Signal>> {
    let (sender, receiver) = mpsc::channel(PASSED.len());
    let ignored = ignored();
    for passed in PASSED {
        if ignored & (1 << (passed as i32 - 1)) != 0 {
            continue;
        }
        let mut signals = signal(SignalKind::from_raw(passed as i32))?;
        let sender = sender.clone();
        tokio::spawn(async move {
            // It ends with the receiver.
            while let Some(()) =
                tokio::select! { signal = signals.recv() => signal, () = sender.closed() => None }
            {
                let _ = sender.send(passed).await;
            }
        });
    }
    Ok(receiver)
}

/// The ignored signals, a bit for each. Only Linux tells them.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}
