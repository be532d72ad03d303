//! Removes a module's custom sections: function names and tools' notes, which no browser reads.

/// Returns the module without custom sections; `None` if the bytes are not a WebAssembly module.
pub fn without_custom(module: &[u8]) -> Option<Vec<u8>> {
    const HEAD: usize = 8;
    const CUSTOM: u8 = 0;
    let mut bare = module.get(..HEAD).filter(|head| head.starts_with(b"\0asm"))?.to_vec();
    let mut at = HEAD;
    while let Some(&kind) = module.get(at) {
        let (size, start) = length(module, at + 1)?;
        let end = start.checked_add(size)?;
        let section = module.get(at..end)?;
        if kind != CUSTOM {
            bare.extend_from_slice(section);
        }
        at = end;
    }
    Some(bare)
}

/// Reads a LEB128 number. Returns it and where it ends.
fn length(module: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let (mut value, mut shift) = (0_usize, 0_u32);
    loop {
        let byte = *module.get(at)?;
        at += 1;
        value |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some((value, at));
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::without_custom;

    #[test]
    fn custom_sections_go_and_the_others_stay() {
        let head = b"\0asm\x01\0\0\0".to_vec();
        let long = [vec![10, 0x80, 0x01], vec![7; 128]].concat();
        let module = [head.clone(), vec![0, 2, 1, 65], long.clone(), vec![0, 1, 0]].concat();
        assert_eq!(without_custom(&module), Some([head, long].concat()));
        assert_eq!(without_custom(b"<!DOCTYPE html>"), None);
        assert_eq!(without_custom(&module[..20]), None, "cut off");
    }
}
