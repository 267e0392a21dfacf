//! A sorted map whose copies share what is the same in both. Its entries stand in chunks: a request reads a copy for as long as it
//! wants, and adding an entry meanwhile copies one chunk and the list of chunks, never all entries.

use std::sync::Arc;

/// Most entries of a chunk.
const MOST: usize = 128;

#[derive(Debug)]
pub(crate) struct Chunks<K, V> {
    /// Ascending. No chunk is empty.
    chunks: Vec<Arc<Vec<(K, V)>>>,
}

impl<K, V> Default for Chunks<K, V> {
    fn default() -> Self {
        Self { chunks: Vec::new() }
    }
}

impl<K, V> Clone for Chunks<K, V> {
    fn clone(&self) -> Self {
        Self { chunks: self.chunks.clone() }
    }
}

impl<K: Ord + Clone, V: Clone> Chunks<K, V> {
    /// Inserts an entry, or replaces the one of that key.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        let at = self.chunk_of(&key).min(self.chunks.len().saturating_sub(1));
        let Some(chunk) = self.chunks.get_mut(at) else {
            self.chunks.push(Arc::new(vec![(key, value)]));
            return;
        };
        let entries = Arc::make_mut(chunk);
        match entries.binary_search_by(|(known, _)| known.cmp(&key)) {
            Ok(place) => entries[place].1 = value,
            Err(place) => entries.insert(place, (key, value)),
        }
        if entries.len() > MOST {
            let rest = entries.split_off(MOST / 2);
            self.chunks.insert(at + 1, Arc::new(rest));
        }
    }

    /// Removes the entry of a key, if there is one.
    pub(crate) fn remove(&mut self, key: &K) {
        let at = self.chunk_of(key);
        let Some(chunk) = self.chunks.get_mut(at) else { return };
        let Ok(place) = chunk.binary_search_by(|(known, _)| known.cmp(key)) else { return };
        let entries = Arc::make_mut(chunk);
        entries.remove(place);
        if entries.is_empty() {
            self.chunks.remove(at);
        }
    }

    /// The index of the only chunk that can have a key; the number of chunks if all keys are less.
    fn chunk_of(&self, key: &K) -> usize {
        self.chunks.partition_point(|chunk| chunk.last().is_some_and(|(last, _)| last < key))
    }
}

impl<K, V> Chunks<K, V> {
    /// The values, in the order of their keys.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.chunks.iter().flat_map(|chunk| chunk.iter()).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::draw::{Draw, Seed};

    #[test]
    fn it_holds_what_a_plain_map_holds() {
        let (mut chunks, mut map) = (Chunks::default(), BTreeMap::new());
        let mut draw = Draw::new(Seed(1), "chunks");
        for step in 0..5_000_u64 {
            let key = draw.below(900);
            if draw.below(3) == 0 {
                chunks.remove(&key);
                map.remove(&key);
            } else {
                chunks.insert(key, step);
                map.insert(key, step);
            }
        }
        assert!(map.len() > 3 * MOST);
        assert!(chunks.values().eq(map.values()));
        for key in map.keys() {
            chunks.remove(key);
        }
        assert_eq!(chunks.values().count(), 0);
        assert!(chunks.chunks.is_empty());
    }

    #[test]
    fn a_copy_stays_as_it_is_and_shares_all_but_the_changed_chunk() {
        let mut chunks = Chunks::default();
        (0..5_000).for_each(|key| chunks.insert(key, key));
        let copy = chunks.clone();
        chunks.insert(2_500, 0);
        assert!(copy.values().copied().eq(0..5_000));
        let shared = |chunk: &&Arc<Vec<(i32, i32)>>| copy.chunks.iter().any(|own| Arc::ptr_eq(own, chunk));
        assert_eq!(chunks.chunks.iter().filter(|chunk| !shared(chunk)).count(), 1);
        assert!(chunks.chunks.len() <= 5_000 / (MOST / 2) + 1, "{}", chunks.chunks.len());
    }
}
