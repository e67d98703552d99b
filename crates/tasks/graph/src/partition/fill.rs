//! How much room is left beside tasks whose socket is known, and tasks that nothing pulls anywhere.

use super::sockets::Sockets;

/// How many tasks each socket has.
fn loads(sockets: &Sockets, parts: &[Option<u32>]) -> Vec<u64> {
    let mut loads = vec![0; sockets.count()];
    for &socket in parts.iter().flatten() {
        loads[socket as usize] += 1;
    }
    loads
}

/// How many more tasks each socket may have. Fixed tasks may take more than its room.
pub(super) fn room_left(sockets: &Sockets, parts: &[Option<u32>]) -> Vec<u64> {
    let loads = loads(sockets, parts);
    loads
        .iter()
        .enumerate()
        .map(|(socket, &load)| sockets.room(socket, parts.len()).saturating_sub(load))
        .collect()
}

/// Gives those without a socket one: in creation order to the first that has less than its share.
pub(super) fn in_creation_order(sockets: &Sockets, parts: &[Option<u32>]) -> Vec<u32> {
    let mut loads = loads(sockets, parts);
    let quotas = sockets.quotas(parts.len());
    let mut socket = 0;
    let mut given = |known: Option<u32>| {
        if let Some(known) = known {
            return known;
        }
        // There are as many tasks as quotas add up to, so that one is left while a task is.
        while socket + 1 < loads.len() && loads[socket] >= quotas[socket] {
            socket += 1;
        }
        loads[socket] += 1;
        // As many as nodes of a machine.
        socket as u32
    };
    parts.iter().map(|&known| given(known)).collect()
}
