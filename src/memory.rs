//! Bounds of memory, for a world and for all worlds together. What is kept holds a share of its world's memory until it is
//! dropped, so that what is shared counts once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) world: usize,
    pub(crate) all: usize,
}

/// The bytes that a world holds, and those of all worlds together.
#[derive(Debug)]
pub(crate) struct Memory {
    limits: Limits,
    world: AtomicUsize,
    all: Arc<AtomicUsize>,
}

/// Which limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    World { limit: usize },
    All { limit: usize },
}

impl Default for Memory {
    fn default() -> Self {
        let limits = Limits { world: usize::MAX, all: usize::MAX };
        Self { limits, world: AtomicUsize::new(0), all: Arc::default() }
    }
}

impl Memory {
    /// The memory of a new world; `all` is what the worlds of the process hold together.
    pub(crate) fn new(limits: Limits, all: Arc<AtomicUsize>) -> Arc<Self> {
        Arc::new(Self { limits, world: AtomicUsize::new(0), all })
    }

    /// Whether more is held than the limits allow.
    pub(crate) fn is_full(&self) -> bool {
        self.check().is_err()
    }

    /// Whether there is room for more in all, once some other bytes are given back.
    pub(crate) fn has_room_for(&self, more: usize, less: usize) -> bool {
        let held = self.all.load(Ordering::Relaxed);
        more <= less || held.saturating_sub(less).saturating_add(more) <= self.limits.all
    }

    fn check(&self) -> Result<(), Full> {
        let Limits { world, all } = self.limits;
        if self.world.load(Ordering::Relaxed) > world {
            return Err(Full::World { limit: world });
        }
        if self.all.load(Ordering::Relaxed) > all {
            return Err(Full::All { limit: all });
        }
        Ok(())
    }

    pub(crate) fn share(self: &Arc<Self>, bytes: usize) -> Share {
        let mut share = Share { bytes: 0, memory: Arc::clone(self) };
        share.resize(bytes);
        share
    }
}

/// Bytes that are held until this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Share {
    bytes: usize,
    memory: Arc<Memory>,
}

impl Share {
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether more is held in all than the limits allow.
    pub(crate) fn is_full(&self) -> bool {
        self.memory.is_full()
    }

    pub(crate) fn resize(&mut self, bytes: usize) {
        for total in [&self.memory.world, &*self.memory.all] {
            // Wraps around where it shrinks, which is subtraction.
            total.fetch_add(bytes.wrapping_sub(self.bytes), Ordering::Relaxed);
        }
        self.bytes = bytes;
    }

    /// Replaces some of its bytes by others.
    ///
    /// # Errors
    /// There is no room for more; the share stays as it was. There is always room for less.
    pub(crate) fn replace(&mut self, before: usize, after: usize) -> Result<(), Full> {
        let held = self.bytes;
        self.resize(held.saturating_sub(before).saturating_add(after));
        let checked = if after > before { self.memory.check() } else { Ok(()) };
        if checked.is_err() {
            self.resize(held);
        }
        checked
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.resize(0);
    }
}

/// About how many bytes of the heap a text or list of some bytes takes, what the allocator adds included.
pub(crate) const fn heap(bytes: usize) -> usize {
    match bytes {
        0 => 0,
        1..=24 => 32,
        _ => (bytes + 8).next_multiple_of(16),
    }
}

/// About how many bytes of the heap some texts take.
pub(crate) fn texts<'a>(texts: impl IntoIterator<Item = &'a Option<String>>) -> usize {
    texts.into_iter().flatten().map(|text| heap(text.len())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worlds() -> (Arc<Memory>, Arc<Memory>, Arc<AtomicUsize>) {
        let (limits, all) = (Limits { world: 100, all: 150 }, Arc::<AtomicUsize>::default());
        (Memory::new(limits, Arc::clone(&all)), Memory::new(limits, Arc::clone(&all)), all)
    }

    #[test]
    fn a_share_is_given_back_when_it_is_dropped() {
        let (one, other, all) = worlds();
        let mut share = one.share(101);
        assert!(one.is_full() && !other.is_full());
        share.resize(151);
        assert!(other.is_full());
        drop(share);
        assert!(!one.is_full() && !other.is_full());
        assert_eq!(all.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_share_grows_up_to_the_limits_and_always_shrinks() {
        let (one, other, all) = worlds();
        let (mut first, mut second) = (one.share(0), other.share(0));
        assert_eq!(first.replace(0, 100), Ok(()));
        assert_eq!(first.replace(0, 1), Err(Full::World { limit: 100 }));
        assert_eq!(second.replace(0, 51), Err(Full::All { limit: 150 }));
        assert_eq!(second.replace(0, 50), Ok(()));
        assert_eq!(first.replace(20, 20), Ok(()));
        assert_eq!(first.replace(100, 99), Ok(()));
        assert_eq!(all.load(Ordering::Relaxed), 149);
    }
}
