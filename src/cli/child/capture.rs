//! The end of the output of a command that does not write to the terminal.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::Notify;

/// Most bytes that are kept of the output: the last ones.
const MOST: usize = 16 << 10;

/// Reads the output of one command.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    /// The thread that reads. Held to start it and to wait for it.
    reader: Mutex<Option<JoinHandle<VecDeque<u8>>>>,
    end: Notify,
}

impl Capture {
    /// Connects the output and the errors of a command that is to be started, and lets it read nothing.
    pub(super) fn connect(&self, command: &mut Command) -> io::Result<()> {
        let (mut output, writer) = io::pipe()?;
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        let read = move || {
            let (mut tail, mut bytes) = (VecDeque::new(), [0; 8192]);
            loop {
                match output.read(&mut bytes) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => return tail,
                    Ok(count) => {
                        tail.extend(&bytes[..count]);
                        tail.drain(..tail.len().saturating_sub(MOST));
                    }
                }
            }
        };
        let reader = std::thread::Builder::new().name("output".to_owned()).spawn(read)?;
        *self.reader.lock().unwrap_or_else(PoisonError::into_inner) = Some(reader);
        Ok(())
    }

    /// Asks to end the command, as after its timeout.
    pub(crate) fn end(&self) {
        self.end.notify_one();
    }

    #[cfg(unix)]
    pub(super) async fn ended(&self) {
        self.end.notified().await;
    }

    /// What the command has written, when it has ended and nothing of it is left. It waits for the last of it, but not for a
    /// process of another user that still holds the pipe.
    pub(crate) async fn tail(&self) -> String {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(reader) = reader else { return String::new() };
        for _ in 0..PATIENCE {
            if reader.is_finished() {
                let tail = reader.join().unwrap_or_default();
                let bytes: Vec<u8> = tail.into();
                return String::from_utf8_lossy(&bytes).into_owned();
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        String::new()
    }
}

/// Milliseconds until the end of the output is not awaited any longer.
const PATIENCE: u32 = 500;
