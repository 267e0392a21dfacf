//! A log writer that never blocks its callers: a thread of its own writes the lines, and the queue before it is bounded.
//! If nobody reads the stream (a full pipe, a suspended terminal), lines that do not fit into the queue are dropped and
//! counted. When the stream takes text again, one line says how many were dropped.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most messages in the queue.
const MAX_MESSAGES: usize = 8192;
/// Most bytes in the queue: 2 MiB. A message that is longer by itself is taken while the queue is empty.
const MAX_BYTES: usize = 2 << 20;
/// Most bytes of one write, unless one message is longer. Linux writes this many bytes (`PIPE_BUF`) to a pipe whole or
/// not at all, so no line is cut when the process ends while nobody reads.
const MAX_WRITE: usize = 4096;

/// A handle to a log writer; its clones share the queue. The thread runs as long as the process.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogWriter(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Held to move messages in or out, never while the stream is written.
    queue: Mutex<Queue>,
    /// Notified when the queue or `writing` changes.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    /// Messages of one or more whole lines, each with its last line break.
    messages: VecDeque<String>,
    /// Sum of their lengths.
    bytes: usize,
    /// Whether the thread is writing messages that it has taken out.
    writing: bool,
    /// Lines dropped that the stream does not mention yet.
    unreported: u64,
    /// Lines dropped since the start.
    dropped: u64,
}

impl Queue {
    fn is_written(&self) -> bool {
        self.messages.is_empty() && !self.writing && self.unreported == 0
    }

    fn push(&mut self, message: String) {
        let fits = self.messages.len() < MAX_MESSAGES && self.bytes + message.len() <= MAX_BYTES;
        // After a dropped line all further lines are dropped until the notice is written, so it stands where the gap is.
        if self.unreported == 0 && (fits || self.messages.is_empty()) {
            self.bytes += message.len();
            self.messages.push_back(message);
        } else {
            let lines = count_lines(&message);
            self.unreported += lines;
            self.dropped += lines;
        }
    }

    /// Takes out the oldest messages, as many as one write may hold.
    fn take(&mut self) -> String {
        let mut text = self.messages.pop_front().unwrap_or_default();
        while let Some(next) = self.messages.front()
            && text.len() + next.len() <= MAX_WRITE
        {
            text.push_str(next);
            self.messages.pop_front();
        }
        self.bytes -= text.len();
        text
    }
}

fn count_lines(text: &str) -> u64 {
    u64::try_from(text.lines().count()).unwrap_or(u64::MAX)
}

impl LogWriter {
    /// Starts the thread that writes to `stream`. `notice` words the line that reports how many lines were dropped.
    ///
    /// # Errors
    /// The system does not allow another thread.
    pub(crate) fn start(
        mut stream: impl Write + Send + 'static,
        notice: impl Fn(u64) -> String + Send + 'static,
    ) -> io::Result<Self> {
        let writer = Self::default();
        let own = writer.clone();
        std::thread::Builder::new().name("log".to_owned()).spawn(move || {
            loop {
                let text = own.next(&notice);
                if stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).is_err() {
                    own.queue().dropped += count_lines(&text);
                }
            }
        })?;
        Ok(writer)
    }

    /// Queues a message, to which the last line break is added.
    pub(crate) fn write(&self, mut message: String) {
        message.push('\n');
        self.queue().push(message);
        self.0.changed.notify_all();
    }

    /// Waits until all messages are written, but no longer than `limit`.
    pub(crate) fn flush(&self, limit: Duration) {
        let _ = self.0.changed.wait_timeout_while(self.queue(), limit, |queue| !queue.is_written());
    }

    /// Number of lines that were dropped or could not be written.
    pub(crate) fn dropped(&self) -> u64 {
        self.queue().dropped
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for messages, and takes out what to write next.
    fn next(&self, notice: &impl Fn(u64) -> String) -> String {
        let mut queue = self.queue();
        queue.writing = false;
        self.0.changed.notify_all();
        let mut queue = self
            .0
            .changed
            .wait_while(queue, |queue| queue.is_written())
            .unwrap_or_else(PoisonError::into_inner);
        queue.writing = true;
        let text = if queue.messages.is_empty() {
            notice(std::mem::take(&mut queue.unreported)) + "\n"
        } else {
            queue.take()
        };
        self.0.changed.notify_all();
        text
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// A stream that takes a text when the test lets it.
    struct Gated {
        gate: Receiver<()>,
        written: Sender<String>,
    }

    impl Write for Gated {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.gate.recv().map_err(io::Error::other)?;
            let text = String::from_utf8(text.to_vec()).map_err(io::Error::other)?;
            self.written.send(text.clone()).map_err(io::Error::other)?;
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn gated() -> (LogWriter, Sender<()>, Receiver<String>) {
        let (open, gate) = channel();
        let (written, texts) = channel();
        let writer =
            LogWriter::start(Gated { gate, written }, |dropped| format!("{dropped} dropped")).unwrap();
        (writer, open, texts)
    }

    /// Waits until the thread is stuck in a write of `text`.
    fn stall(writer: &LogWriter, text: &str) {
        writer.write(text.to_owned());
        let queue = writer.queue();
        drop(writer.0.changed.wait_while(queue, |queue| !queue.messages.is_empty()).unwrap());
    }

    #[test]
    fn a_stalled_stream_drops_what_does_not_fit_and_reports_it_once() {
        let (writer, open, texts) = gated();
        stall(&writer, "first");
        for number in 0..MAX_MESSAGES + 7 {
            writer.write(number.to_string());
        }
        assert_eq!(writer.dropped(), 7);
        for _ in 0..MAX_MESSAGES {
            open.send(()).unwrap();
        }
        assert_eq!(texts.recv().unwrap(), "first\n");
        let mut text = String::new();
        while !text.ends_with("dropped\n") {
            let part = texts.recv().unwrap();
            assert!(part.len() <= MAX_WRITE && part.ends_with('\n'));
            text.push_str(&part);
        }
        let kept: Vec<String> = (0..MAX_MESSAGES).map(|number| number.to_string()).collect();
        assert_eq!(text, kept.join("\n") + "\n7 dropped\n");
        writer.write("later".to_owned());
        assert_eq!(texts.recv().unwrap(), "later\n");
        writer.flush(Duration::MAX);
        assert_eq!((writer.dropped(), texts.try_recv().ok()), (7, None));
    }

    #[test]
    fn the_queue_is_bounded_by_bytes_and_a_longer_message_is_written_alone() {
        let (writer, open, texts) = gated();
        stall(&writer, "first");
        let long = "x".repeat(MAX_BYTES);
        writer.write(long.clone());
        writer.write("two\nlines".to_owned());
        assert_eq!(writer.dropped(), 2);
        for _ in 0..3 {
            open.send(()).unwrap();
        }
        assert_eq!(texts.recv().unwrap(), "first\n");
        assert_eq!(texts.recv().unwrap(), long + "\n");
        assert_eq!(texts.recv().unwrap(), "2 dropped\n");
    }

    #[test]
    fn flush_waits_no_longer_than_its_limit() {
        let (writer, open, texts) = gated();
        stall(&writer, "first");
        writer.flush(Duration::from_millis(1));
        assert!(!writer.queue().is_written());
        open.send(()).unwrap();
        writer.flush(Duration::MAX);
        assert_eq!(texts.try_recv().unwrap(), "first\n");
        assert!(writer.queue().is_written());
    }

    #[test]
    fn lines_that_cannot_be_written_are_counted() {
        let (writer, open, texts) = gated();
        drop((open, texts));
        writer.write("lost".to_owned());
        writer.flush(Duration::MAX);
        assert_eq!(writer.dropped(), 1);
    }
}
