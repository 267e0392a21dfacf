//! Memory bounds of webhooks. Events, messages, conversations and deliveries each hold a share of their world's memory for
//! as long as anything refers to them, so that what is shared counts once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most bytes that the webhooks of one world hold.
pub(crate) const PER_WORLD: usize = 32 << 20;
/// Most bytes that the webhooks of all worlds hold.
pub(crate) const ALL_WORLDS: usize = 128 << 20;

/// The bytes that the webhooks of one world hold, and those of all worlds together.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    world: AtomicUsize,
    all: Arc<AtomicUsize>,
}

impl Memory {
    /// The memory of a new world; `all` is what the worlds of the process hold together.
    pub(crate) fn new(all: Arc<AtomicUsize>) -> Arc<Self> {
        Arc::new(Self { world: AtomicUsize::new(0), all })
    }

    pub(crate) fn is_full(&self) -> bool {
        self.world.load(Ordering::Relaxed) > PER_WORLD || self.all.load(Ordering::Relaxed) > ALL_WORLDS
    }

    pub(crate) fn share(self: &Arc<Self>, bytes: usize) -> Share {
        let mut share = Share { bytes: 0, memory: Arc::clone(self) };
        share.resize(bytes);
        share
    }
}

/// Bytes that are held until this is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    bytes: usize,
    memory: Arc<Memory>,
}

impl Share {
    pub(crate) fn resize(&mut self, bytes: usize) {
        for total in [&self.memory.world, &*self.memory.all] {
            // Wraps around where it shrinks, which is subtraction.
            total.fetch_add(bytes.wrapping_sub(self.bytes), Ordering::Relaxed);
        }
        self.bytes = bytes;
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.resize(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_given_back_when_it_is_dropped() {
        let all = Arc::<AtomicUsize>::default();
        let (one, other) = (Memory::new(Arc::clone(&all)), Memory::new(Arc::clone(&all)));
        let mut share = one.share(PER_WORLD + 1);
        assert!(one.is_full() && !other.is_full());
        share.resize(ALL_WORLDS + 1);
        assert!(other.is_full());
        drop(share);
        assert!(!one.is_full() && !other.is_full());
        assert_eq!(all.load(Ordering::Relaxed), 0);
    }
}
