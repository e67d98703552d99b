//! Several processes that start at the same time, and some that are killed.

use std::sync::Barrier;
use std::thread;

use super::*;

#[test]
fn of_processes_that_start_at_once_exactly_one_stays() {
    let room = Room::new();
    let path = room.at("mine/agent.sock");
    for round in 0..3 {
        let mut all: Vec<Child> = (0..6).map(|_| process("listen", &path)).collect();
        let answers: Vec<(u32, String)> = all.iter_mut().map(|one| (one.id(), answer(one))).collect();
        let stay: Vec<u32> =
            answers.iter().filter(|(_, answer)| answer == "listening").map(|(pid, _)| *pid).collect();
        let &[pid] = stay.as_slice() else { panic!("round {round}: {answers:?}") };
        for (_, answer) in answers.iter().filter(|(one, _)| *one != pid) {
            assert!(answer.starts_with(&format!("the program with pid {pid} already listens")), "{answer}");
        }
        assert_eq!(
            peer_of(&reach(&path, PATIENCE).expect("somebody listens")).expect("a peer").pid,
            Some(pid)
        );
        for one in &mut all {
            // SIGKILL: the socket stays for the next round.
            one.kill().expect("a child");
            one.wait().expect("ends");
        }
        assert!(path.exists());
    }
    Socket::listen(&path).expect("what a killed process left is no obstacle");
}

#[test]
fn of_threads_that_come_and_go_never_two_listen() {
    let room = Room::new();
    let path = room.at("mine/agent.sock");
    let barrier = Barrier::new(6);
    let listened: usize = thread::scope(|scope| {
        let restless = || {
            barrier.wait();
            let mut times = 0;
            for _ in 0..50 {
                match Socket::listen(&path) {
                    Ok(socket) => {
                        // A client that connects now reaches this process: another one has not replaced it.
                        let _asked = reach(&path, PATIENCE).expect("somebody listens");
                        assert!(socket.listener().accept().is_ok(), "another one was asked");
                        times += 1;
                    }
                    Err(SocketError::Listens { pid, .. }) => assert_eq!(pid, Some(std::process::id())),
                    Err(why) => panic!("{why}"),
                }
            }
            times
        };
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(restless)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert!(listened >= 6, "{listened}");
    assert!(!path.exists());
}

#[test]
fn whoever_is_killed_at_whatever_moment_leaves_no_obstacle() {
    let room = Room::new();
    let path = room.at("mine/agent.sock");
    for _ in 0..5 {
        let mut others: Vec<Child> = (0..3).map(|_| process("restless", &path)).collect();
        // They are at work as soon as the folder exists.
        while !room.at("mine").exists() {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(7));
        for one in &mut others {
            one.kill().expect("a child");
            one.wait().expect("ends");
        }
        drop(Socket::listen(&path).expect("nobody is left"));
        std::fs::remove_dir(room.at("mine")).expect("nothing is left in it");
    }
}

#[test]
fn a_lock_that_is_never_released_is_an_error_and_not_an_endless_wait() {
    let room = Room::new();
    let folder = Folder::open(&room.at("agent.sock")).expect("ours");
    let _lock = folder.lock(Duration::ZERO).expect("free");
    let other = Folder::open(&room.at("agent.sock")).expect("ours");
    match other.lock(Duration::from_millis(20)).err() {
        Some(SocketError::Busy(folder)) => assert_eq!(folder, room.0.path()),
        other => panic!("{other:?}"),
    }
}
