//! What the client sees, on raw sockets.

mod connection;
mod raw;

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;

use crate::clock::real_now;
use crate::server::wire::tests::raw::{Client, End, SPAN, Seen, Server, decide, split};

#[test]
fn a_reset_a_close_a_stall_and_garbage_look_different() {
    let server = Server::start();
    assert_eq!(server.ask(&["/reset"]), Seen(vec![], End::Rst));
    assert_eq!(server.ask(&["/close"]), Seen(vec![], End::Fin));
    assert_eq!(server.ask(&["/garbage"]), Seen(b"\x00\xffgarbage".to_vec(), End::Fin));
    let started = real_now();
    assert_eq!(server.ask(&["/pause"]), Seen(vec![], End::Fin));
    assert!(started.elapsed() >= SPAN);

    assert_eq!(server.gone.iter().take(4).last().unwrap(), "/pause");
    let mut client = server.stall();
    client.0.set_nonblocking(true).unwrap();
    assert_eq!(client.0.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn a_close_is_clean_even_for_a_client_that_is_still_sending() {
    let server = Server::start();
    let mut client = server.connect();
    client.0.write_all(b"POST /close HTTP/1.1\r\nhost: x\r\ncontent-length: 2000000\r\n\r\n").unwrap();
    client.0.write_all(&vec![b'x'; 2_000_000]).unwrap();
    assert_eq!(client.rest(), Seen(vec![], End::Fin));
    // Nor does a reset come after it.
    assert!(client.0.take_error().unwrap().is_none());
}

#[test]
fn a_truncated_body_is_exact_to_the_byte() {
    let server = Server::start();
    for (path, kept) in [
        ("/truncate", 29),
        ("/truncate/none", 0),
        ("/truncate/all", 130),
        ("/truncate/empty", 0),
        ("/truncate/large", 4_200_000),
    ] {
        let body = decide(path).0;
        let Seen(seen, end) = server.ask(&[path]);
        let (told, sent) = split(&seen);
        assert_eq!((told, sent.len(), end), (body.len(), kept, End::Rst), "{path}");
        assert!(body.starts_with(sent));
    }
}

#[test]
fn a_client_that_reads_late_still_gets_its_share_before_the_reset() {
    let server = Server::start();
    let mut client = server.connect();
    client.ask(&["/truncate"]);
    assert_eq!(server.gone.recv().unwrap(), "/truncate");
    // The socket is the ending's; by the time another request is answered, its reset is out too.
    let mut other = server.connect();
    other.ask(&["/plain"]);
    other.answered("/plain");
    let Seen(seen, end) = client.rest();
    assert_eq!((split(&seen).1.len(), end), (29, End::Rst));
}

#[test]
fn a_drip_keeps_its_pace_and_is_whole_in_the_end() {
    let server = Server::start();
    let mut client = server.connect();
    let started = real_now();
    client.ask(&["/drip"]);
    let length = client.head();
    assert_eq!(length, 50);
    let mut got = Vec::new();
    let mut buffer = [0; 64];
    while got.len() < length {
        let read = client.0.read(&mut buffer).unwrap();
        assert!(read > 0);
        got.extend_from_slice(&buffer[..read]);
        let bits = u32::try_from(got.len().div_ceil(16)).unwrap();
        assert!(started.elapsed() >= SPAN * bits);
        assert!(got.len() % 16 == 0 || got.len() == length, "{} bytes", got.len());
    }
    assert_eq!(got, decide("/drip").0);
    // The same connection goes on.
    for path in ["/plain", "/drip", "/drip/empty", "/delay", "/plain"] {
        client.ask(&[path]);
        client.answered(path);
    }
}

#[test]
fn a_delay_comes_first() {
    let server = Server::start();
    let mut client = server.connect();
    let started = real_now();
    client.ask(&["/delay"]);
    client.answered("/delay");
    assert!(started.elapsed() >= SPAN);
}

#[test]
fn answers_to_requests_sent_ahead_are_not_mixed() {
    let server = Server::start();
    for (path, sent, end) in [
        ("/reset", &b""[..], End::Rst),
        ("/close", b"", End::Fin),
        ("/pause", b"", End::Fin),
        ("/garbage", b"\x00\xffgarbage", End::Fin),
    ] {
        for first in ["/plain", "/large", "/drip"] {
            let Seen(seen, ended) = server.ask(&[first, path, "/third"]);
            let (length, rest) = split(&seen);
            assert!(rest[..length] == decide(first).0, "{first} before {path}");
            assert_eq!((&rest[length..], &ended), (sent, &end), "{first} before {path}");
            // The third is never handled.
            assert_eq!(server.gone.iter().take(2).collect::<Vec<_>>(), [first, path]);
        }
    }
    for first in ["/plain", "/large", "/delay"] {
        let Seen(seen, end) = server.ask(&[first, "/truncate", "/third"]);
        let (length, rest) = split(&seen);
        assert!(rest[..length] == decide(first).0, "{first}");
        let (told, sent) = split(&rest[length..]);
        assert_eq!((told, sent, end), (90, &decide("/truncate").0[..29], End::Rst));
    }
    let mut client = server.connect();
    let paths = ["/large", "/drip", "/plain", "/delay", "/drip", "/large", "/plain"];
    client.ask(&paths);
    for path in paths {
        client.answered(path);
    }
}

#[test]
fn a_thousand_stalled_connections_hold_up_nobody_and_go_when_their_clients_leave() {
    rlimit::increase_nofile_limit(u64::MAX).unwrap();
    let server = Server::start();
    let mut stalled: Vec<Client> = (0..1000).map(|_| server.stall()).collect();
    let mut client = server.connect();
    for _ in 0..100 {
        client.ask(&["/plain"]);
        client.answered("/plain");
    }
    // A client that says it leaves sees the server's end closed: nothing of the stall is left.
    for client in &mut stalled[..999] {
        client.0.shutdown(Shutdown::Write).unwrap();
        assert_eq!(client.rest(), Seen(vec![], End::Fin));
    }
    // A stall does not hold up the server's end either, whatever the grace time.
    drop(server);
    assert_eq!(stalled[999].rest(), Seen(vec![], End::Fin));
}

#[test]
fn a_stall_swallows_what_its_client_sends_and_still_sees_it_leave() {
    let server = Server::start();
    let mut client = server.connect();
    let flood = vec!["/plain"; 30_000];
    client.ask(&["/stall"]);
    client.ask(&flood);
    client.0.shutdown(Shutdown::Write).unwrap();
    assert_eq!(client.rest(), Seen(vec![], End::Fin));
}

#[test]
fn a_client_that_leaves_a_delay_or_a_drip_frees_it() {
    let server = Server::start();
    for path in ["/forever/delay", "/forever/drip"] {
        let mut client = server.connect();
        client.ask(&[path]);
        if path == "/forever/drip" {
            assert_eq!(client.head(), 130);
        }
        client.0.shutdown(Shutdown::Write).unwrap();
        assert_eq!(client.rest(), Seen(vec![], End::Fin), "{path}");
        assert_eq!(server.gone.recv().unwrap(), path);
    }
}
