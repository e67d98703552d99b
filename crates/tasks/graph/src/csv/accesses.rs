//! The cell `accesses`: `MODE:BLOCK[:DECLARED[:MOVED]]` joined by `;`.

use std::fmt::{self, Write};
use std::ops::Range;

use crate::values::{Access, AccessMode, Block, BlockId};

use crate::problems::{amount, shown};

/// What is wrong, and with which bytes of the cell.
pub(super) type Wrong = (Range<usize>, String);

/// Reads a cell into `into`.
///
/// # Errors
/// The first thing that is wrong.
pub(super) fn read(cell: &str, blocks: &[Block], into: &mut Vec<Access>) -> Result<(), Wrong> {
    into.clear();
    let mut start = 0;
    if cell.is_empty() {
        return Ok(());
    }
    for item in cell.split(';') {
        let end = start + item.len();
        into.push(access(item, blocks).map_err(|(part, why)| (start + part.start..start + part.end, why))?);
        start = end + 1;
    }
    Ok(())
}

/// The bytes of one access of a cell.
pub(super) fn item(cell: &str, number: usize) -> Range<usize> {
    let start: usize = cell.split(';').take(number).map(|item| item.len() + 1).sum();
    start..start + cell.split(';').nth(number).map_or(0, str::len)
}

fn access(item: &str, blocks: &[Block]) -> Result<Access, Wrong> {
    let parts: Vec<&str> = item.splitn(5, ':').collect();
    let part = |number: usize| {
        let start: usize = parts.iter().take(number).map(|part| part.len() + 1).sum();
        start..start + parts.get(number).map_or(0, |part| part.len())
    };
    let (mode, block, sizes) = match parts.as_slice() {
        [mode, block, sizes @ ..] if sizes.len() <= 2 => (*mode, *block, sizes),
        _ => {
            let why = format!(
                "'{}' is no access: write MODE:BLOCK, MODE:BLOCK:DECLARED or MODE:BLOCK:DECLARED:MOVED",
                shown(item)
            );
            return Err((0..item.len(), why));
        }
    };
    let mode = AccessMode::ALL.into_iter().find(|known| known.as_str() == mode);
    let mode = mode.ok_or_else(|| {
        (
            part(0),
            format!(
                "'{}' is no way to access a block: write in, inout or out",
                shown(parts.first().unwrap_or(&""))
            ),
        )
    })?;
    let id = block.parse::<u32>().ok();
    let known = id.and_then(|id| blocks.get(id as usize));
    let (Some(id), Some(known)) = (id, known) else {
        return Err((part(1), format!("there is no block '{}'", shown(block))));
    };
    let size = |number: usize, otherwise: f64| match sizes.get(number) {
        None => Ok(otherwise),
        Some(text) => amount(text).map_err(|why| (part(2 + number), format!("the number of bytes is {why}"))),
    };
    let declared_bytes = size(0, known.bytes)?;
    let moved_bytes = size(1, declared_bytes)?;
    Ok(Access { block: BlockId(id), mode, declared_bytes, moved_bytes })
}

/// Writes accesses as short as they can be.
pub(super) fn write(
    accesses: impl Iterator<Item = Access>,
    blocks: &[Block],
    cell: &mut String,
) -> fmt::Result {
    for (number, access) in accesses.enumerate() {
        let Access { block, mode, declared_bytes, moved_bytes } = access;
        let separator = if number > 0 { ";" } else { "" };
        write!(cell, "{separator}{}:{}", mode.as_str(), block.0)?;
        let is_whole = blocks.get(block.0 as usize).is_some_and(|block| block.bytes == declared_bytes);
        if !is_whole || moved_bytes != declared_bytes {
            write!(cell, ":{}", declared_bytes + 0.0)?;
        }
        if moved_bytes != declared_bytes {
            write!(cell, ":{}", moved_bytes + 0.0)?;
        }
    }
    Ok(())
}
