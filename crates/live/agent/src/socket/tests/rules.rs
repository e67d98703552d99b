//! Objects that may exist at the path of a socket, and their handling.

use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::net::UnixDatagram;
use std::time::Instant;
use std::{fs, thread};

use numasim_host::os::process::own_uid;

use super::*;

#[test]
fn a_missing_folder_is_made_closed_and_the_socket_with_it() {
    let room = Room::new();
    let path = room.at("mine/agent.sock");
    let socket = Socket::listen(&path).expect("listens");
    assert_eq!((mode(&room.at("mine")), mode(&path)), (0o700, 0o600));
    assert_eq!(socket.path(), path);
    // The client finds this process as its peer, and this process finds the client.
    let stream = reach(&path, PATIENCE).expect("somebody listens");
    let (accepted, _) = socket.listener().accept().expect("one waits");
    let this = Peer { pid: Some(std::process::id()), uid: own_uid() };
    assert_eq!((peer_of(&stream).expect("a peer"), peer_of(&accepted).expect("a peer")), (this, this));
    // It does not block for the next one.
    assert_eq!(socket.listener().accept().err().map(|why| why.kind()), Some(io::ErrorKind::WouldBlock));
}

#[test]
fn modes_do_not_depend_on_the_umask() {
    for role in ["open umask", "tight umask"] {
        let room = Room::new();
        let mut other = process(role, &room.at("mine/agent.sock"));
        assert_eq!(answer(&mut other), "700 600", "{role}");
        assert!(other.wait().expect("ends").success());
        assert!(!room.at("mine/agent.sock").exists() && room.at("mine").exists());
    }
}

#[test]
fn only_the_last_folder_is_made() {
    let room = Room::new();
    let why = message(Socket::listen(&room.at("a/b/agent.sock")), &room);
    assert_eq!(why, "cannot make the folder ROOM/a/b: No such file or directory (os error 2)");
    assert!(!room.at("a").exists());
}

#[test]
fn a_closed_folder_of_ours_is_used_as_it_is() {
    let room = Room::new();
    for bits in [0o700, 0o500, 0o2700] {
        let folder = room.at(&format!("mode{bits:o}"));
        fs::create_dir(&folder).expect("a folder");
        fs::set_permissions(&folder, fs::Permissions::from_mode(bits)).expect("ours");
        let outcome = Socket::listen(&folder.join("agent.sock"));
        // Only root can make files in a folder without the write permission.
        assert!(outcome.is_ok() || bits == 0o500 && own_uid() != 0, "{bits:o}: {outcome:?}");
        assert_eq!(mode(&folder), bits);
    }
}

#[test]
fn an_open_folder_is_refused_and_left_open() {
    let room = Room::new();
    for bits in [0o755, 0o710, 0o701, 0o770, 0o1777] {
        let folder = room.at(&format!("mode{bits:o}"));
        fs::create_dir(&folder).expect("a folder");
        fs::set_permissions(&folder, fs::Permissions::from_mode(bits)).expect("ours");
        let why = message(Socket::listen(&folder.join("agent.sock")), &room);
        assert_eq!(
            why,
            format!(
                "the folder ROOM/mode{bits:o} of the socket is open to others (mode {bits:04o}): close it with \
                 \"chmod go= ROOM/mode{bits:o}\", or choose another with --socket PATH"
            )
        );
        assert_eq!(mode(&folder), bits);
        assert_eq!(fs::read_dir(&folder).expect("readable").count(), 0);
    }
}

#[test]
fn a_symbolic_link_to_a_good_folder_is_refused() {
    let room = Room::new();
    fs::create_dir(room.at("real")).expect("a folder");
    fs::set_permissions(room.at("real"), fs::Permissions::from_mode(0o700)).expect("ours");
    symlink(room.at("real"), room.at("link")).expect("a link");
    symlink(room.at("nowhere"), room.at("dangling")).expect("a link");
    for name in ["link", "dangling", "link/"] {
        let path = PathBuf::from(format!("{}/agent.sock", room.at(name).display()));
        let why = message(Socket::listen(&path), &room);
        assert!(why.starts_with("the folder ROOM/") && why.contains("is a symbolic link"), "{why}");
    }
    assert!(room.at("link").is_symlink() && !room.at("nowhere").exists());
    assert!(!room.at("real/agent.sock").exists());
}

#[test]
fn a_foreign_folder_is_refused() {
    let room = Room::new();
    // Root makes one; other users use a folder of root.
    let (folder, owner) = if own_uid() == 0 {
        fs::create_dir(room.at("theirs")).expect("a folder");
        fs::set_permissions(room.at("theirs"), fs::Permissions::from_mode(0o700)).expect("ours");
        chown(room.at("theirs"), Some(12_345), None).expect("root may");
        (room.at("theirs"), 12_345)
    } else {
        (PathBuf::from("/"), 0)
    };
    match Socket::listen(&folder.join("agent.sock")) {
        Err(SocketError::Foreign { folder: named, uid, own }) => {
            assert_eq!((named, uid, own), (folder, owner, own_uid()));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_in_place_of_the_folder_is_refused() {
    let room = Room::new();
    fs::write(room.at("file"), "text").expect("a file");
    let why = message(Socket::listen(&room.at("file/agent.sock")), &room);
    assert_eq!(
        why,
        "ROOM/file is a file, but the socket needs a folder there: choose another place with --socket PATH"
    );
}

#[test]
fn what_is_no_socket_stays() {
    let room = Room::new();
    fs::create_dir(room.at("folder")).expect("a folder");
    fs::write(room.at("file"), "text").expect("a file");
    let dead = UnixDatagram::bind(room.at("dead")).expect("a socket");
    drop(dead);
    symlink(room.at("dead"), room.at("link")).expect("a link");
    for (name, what) in [("folder", "a folder"), ("file", "a file"), ("link", "a symbolic link")] {
        let why = message(Socket::listen(&room.at(name)), &room);
        assert_eq!(
            why,
            format!(
                "ROOM/{name} is {what}, not a socket: it is left as it is; remove it, or choose another path with \
                 --socket PATH"
            )
        );
    }
    assert_eq!(fs::read_to_string(room.at("file")).expect("a file"), "text");
    assert!(room.at("folder").is_dir() && room.at("link").is_symlink());
}

/// Waits until the condition holds. A process that another test is about to start has copies of all open files of this one until it
/// executes its program: so for a moment a socket that was closed here is still open.
fn wait_until(holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "it does not become so");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_socket_on_which_nobody_listens_is_replaced() {
    let room = Room::new();
    let path = room.at("agent.sock");
    // Left by a listener that did not remove it, and by one that never listened.
    drop(UnixListener::bind(&path).expect("a socket"));
    wait_until(|| matches!(reach(&path, PATIENCE), Err(SocketError::Nobody(_))));
    drop(Socket::listen(&path).expect("listens"));
    drop(UnixDatagram::bind(&path).expect("a socket"));
    let refuses = |client: UnixDatagram| client.connect(&path).err().map(|why| why.kind());
    wait_until(|| {
        refuses(UnixDatagram::unbound().expect("a socket")) == Some(io::ErrorKind::ConnectionRefused)
    });
    let socket = Socket::listen(&path).expect("listens");
    assert_eq!(mode(&path), 0o600);
    drop(socket);
    assert!(matches!(reach(&path, PATIENCE), Err(SocketError::Nobody(_))));
}

#[test]
fn a_socket_in_use_in_another_way_stays() {
    let room = Room::new();
    let path = room.at("agent.sock");
    let _theirs = UnixDatagram::bind(&path).expect("a socket");
    assert!(matches!(Socket::listen(&path), Err(SocketError::OtherKind(_))));
    assert!(UnixDatagram::unbound().and_then(|client| client.connect(&path)).is_ok());
}

#[test]
fn who_listens_is_named_and_goes_on() {
    let room = Room::new();
    let path = room.at("agent.sock");
    let mut other = process("listen", &path);
    assert_eq!(answer(&mut other), "listening");
    let why = message(Socket::listen(&path), &room);
    assert_eq!(
        why,
        format!(
            "the program with pid {} already listens on ROOM/agent.sock: stop it with \"numasim agent stop --socket \
             ROOM/agent.sock\", or choose another path with --socket PATH",
            other.id()
        )
    );
    assert!(reach(&path, PATIENCE).is_ok());
    drop(other.stdin.take());
    assert!(other.wait().expect("ends").success());
    assert!(!path.exists());
}

#[test]
fn one_to_whom_nobody_more_can_connect_listens_all_the_same() {
    let room = Room::new();
    let path = room.at("agent.sock");
    let socket = UnixListener::bind(&path).expect("a socket");
    rustix::net::listen(&socket, 0).expect("a listener");
    let waiting: Vec<_> = std::iter::from_fn(|| connected(&path).ok()).take(10).collect();
    assert!((1..10).contains(&waiting.len()), "{} wait", waiting.len());
    assert!(matches!(Socket::listen(&path), Err(SocketError::Listens { pid: None, .. })));
}

#[test]
fn a_socket_that_is_no_longer_its_own_is_not_removed() {
    let room = Room::new();
    let path = room.at("agent.sock");
    let mut socket = Socket::listen(&path).expect("listens");
    fs::remove_file(&path).expect("ours");
    let _other = UnixListener::bind(&path).expect("a socket");
    assert!(!socket.remove());
    assert!(path.exists());
    drop(socket);
    assert!(path.exists());
    // Neither the path nor its folder exists.
    let mut socket = Socket::listen(&room.at("gone/agent.sock")).expect("listens");
    fs::remove_dir_all(room.at("gone")).expect("ours");
    assert!(!socket.remove());
}

#[test]
fn a_socket_is_removed_once_and_who_is_connected_stays_so() {
    let room = Room::new();
    let path = room.at("agent.sock");
    let mut socket = Socket::listen(&path).expect("listens");
    let stream = reach(&path, PATIENCE).expect("somebody listens");
    assert!(socket.remove() && !socket.remove());
    assert!(!path.exists());
    let (accepted, _) = socket.listener().accept().expect("one waits");
    assert!(peer_of(&stream).is_ok() && peer_of(&accepted).is_ok());
    // The next agent's socket is not removed by the end of this one.
    let next = Socket::listen(&path).expect("listens");
    drop(socket);
    assert!(reach(next.path(), PATIENCE).is_ok());
}

#[test]
fn a_folder_that_was_made_for_nothing_is_removed() {
    let room = Room::new();
    // The limit suffices for the folder, but not for the socket: 107 bytes are the maximum.
    let name = "s".repeat(120);
    assert!(matches!(Socket::listen(&room.at(&format!("mine/{name}"))), Err(SocketError::Refused { .. })));
    assert!(!room.at("mine").exists());
}
