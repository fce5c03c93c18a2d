//! Keys: what is placed.

/// A key that has already been hashed by a pinned function.
///
/// A newtype because a raw identifier that reaches a placement function is the commonest bug of
/// the field: `jump(42, n)` of two neighbouring identifiers are related, `jump(hash(42), n)` are
/// not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct KeyHash(pub u64);

/// What a lookup takes: most schemes read the hash, byte-level schemes read the bytes.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    /// The hash of the key.
    pub hash: KeyHash,
    /// The bytes of the key; empty where the scheme declares that it reads only hashes.
    pub bytes: &'a [u8],
}

impl Key<'_> {
    /// A key of which only the hash is known.
    pub fn hashed(hash: u64) -> Key<'static> {
        Key { hash: KeyHash(hash), bytes: &[] }
    }
}

/// The bytes of many keys in one allocation.
#[derive(Clone, Default, Debug)]
pub struct KeyText {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl KeyText {
    /// Appends a key.
    pub fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
    }

    /// The bytes of key `index`. Panics where there is no such key.
    pub fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Forgets the keys and keeps the allocation.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Bytes that the keys occupy, without spare room.
    pub fn byte_len(&self) -> usize {
        self.bytes.len() + self.ends.len() * size_of::<usize>()
    }
}

/// A batch of keys.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a> {
    /// One hash a key.
    pub hashes: &'a [KeyHash],
    /// The bytes of the same keys, where a scheme reads them.
    pub text: Option<&'a KeyText>,
}

impl<'a> Keys<'a> {
    /// Keys of which only the hashes are known.
    pub fn hashed(hashes: &'a [KeyHash]) -> Self {
        Keys { hashes, text: None }
    }

    /// Key `index` of the batch.
    pub fn get(&self, index: usize) -> Key<'a> {
        Key { hash: self.hashes[index], bytes: self.text.map_or(&[], |text| text.get(index)) }
    }
}
