//! The vault: it opens only what it sealed, only for the owner it sealed it for, and nothing that was altered.

use std::sync::LazyLock;

use adagent_domain::{ConnectionId, Ids as _, Network, SequentialIds, WorkspaceId};
use adagent_identity::{KeyRing, Owner, Vault};

const SECRET: &[u8] = b"a refresh token of somebody";

struct Fixed {
    vault: Vault,
    owner: Owner,
    other: Owner,
    sealed: String,
}

static FIXED: LazyLock<Fixed> = LazyLock::new(|| {
    let ids = SequentialIds::default();
    let owner = || {
        let (workspace, connection) = (WorkspaceId(ids.next_uuid()), ConnectionId(ids.next_uuid()));
        Owner::credentials(workspace, Network::AdMob, connection)
    };
    let ring = KeyRing::parse("k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8").expect("a key ring");
    let (vault, owner, other) = (Vault::new(ring), owner(), owner());
    let sealed = vault.seal(&owner, SECRET).expect("sealed");
    Fixed { vault, owner, other, sealed }
});

/// Runs the target: uses the bytes as they are, and as edits to a sealed value (a place, and what is put there).
pub fn run(data: &[u8]) {
    let Fixed { vault, owner, other, sealed } = &*FIXED;
    if let Ok(text) = std::str::from_utf8(data) {
        assert!(text == sealed || vault.open(owner, text).is_err(), "opened what was never sealed: {text:?}");
        assert!(vault.reseal(text, "row").is_err() || text == sealed, "sealed anew what was never sealed: {text:?}");
    }
    let mut changed = sealed.clone().into_bytes();
    for change in data.chunks_exact(3).take(16) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % (changed.len() + 1);
        match change[2] {
            0 if at < changed.len() => drop(changed.remove(at)),
            1 => changed.truncate(at),
            byte if at < changed.len() => changed[at] = byte,
            byte => changed.push(byte),
        }
        if changed.is_empty() {
            return;
        }
    }
    let Ok(changed) = String::from_utf8(changed) else { return };
    match vault.open(owner, &changed) {
        Ok(plain) => assert!(changed == *sealed && plain.as_slice() == SECRET, "opened although touched: {changed:?}"),
        Err(_) => assert_ne!(changed, *sealed, "what was sealed does not open"),
    }
    assert!(vault.open(other, &changed).is_err(), "opened for somebody else: {changed:?}");
}
