//! A connection on a clock that steps by itself whenever nothing moves.

use std::io::ErrorKind;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::time::{Instant, sleep, timeout};

use crate::server::wire::answer::Answered;
use crate::server::wire::connection::Connection;

const LIMIT: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const NEARLY: Duration = Duration::from_secs(59);
const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";
const POST: &[u8] = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n";

fn connect() -> (DuplexStream, Connection<DuplexStream>, Answered) {
    let (client, server) = duplex(1024);
    let answered = Answered::default();
    (client, Connection::new(server, answered.clone(), LIMIT), answered)
}

async fn next(connection: &mut Connection<DuplexStream>) -> Option<Vec<u8>> {
    let mut buffer = vec![0; 4096];
    let length = timeout(HOUR, connection.read(&mut buffer)).await.ok()?.unwrap();
    buffer.truncate(length);
    Some(buffer)
}

#[tokio::test(start_paused = true)]
async fn a_request_that_stands_still_ends_the_connection() {
    for part in [&GET[..10], &GET[..18], &POST[..POST.len() - 1], POST] {
        let (mut client, mut connection, _) = connect();
        client.write_all(part).await.unwrap();
        let (started, mut buffer) = (Instant::now(), Vec::new());
        let error = connection.read_to_end(&mut buffer).await.unwrap_err();
        assert_eq!((error.kind(), started.elapsed().as_secs()), (ErrorKind::TimedOut, 60));
        assert!(part.starts_with(&buffer));
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_moves_does_not() {
    let (mut client, mut connection, _) = connect();
    let mut buffer = Vec::new();
    let sending = async {
        for byte in POST.iter().chain([b' '; 100].iter()) {
            sleep(NEARLY).await;
            client.write_all(&[*byte]).await.unwrap();
        }
    };
    let receiving = async {
        while buffer.len() < POST.len() + 100 {
            connection.read_buf(&mut buffer).await.unwrap();
        }
    };
    tokio::join!(sending, receiving);
    assert!(buffer.starts_with(POST));
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_and_one_whose_answer_is_delayed_are_left_alone() {
    let (mut client, mut connection, answered) = connect();
    assert_eq!(next(&mut connection).await, None);
    client.write_all(GET).await.unwrap();
    assert_eq!(next(&mut connection).await.unwrap(), GET);
    assert_eq!(next(&mut connection).await, None);
    answered.set();
    assert_eq!(next(&mut connection).await, None);
}

#[tokio::test(start_paused = true)]
async fn the_next_request_is_passed_on_after_the_answer() {
    let (mut client, mut connection, answered) = connect();
    client.write_all(&[GET, POST, &[b' '; 100], GET, &GET[..5]].concat()).await.unwrap();
    assert_eq!(next(&mut connection).await.unwrap(), GET);
    assert_eq!(next(&mut connection).await, None);
    answered.set();
    assert_eq!(next(&mut connection).await.unwrap(), [POST, &[b' '; 100]].concat());
    assert_eq!(next(&mut connection).await, None);
    // It is woken when the answer comes.
    let (request, ()) = tokio::join!(next(&mut connection), async {
        sleep(LIMIT).await;
        answered.set();
    });
    assert_eq!(request.unwrap(), GET);
    drop(client);
    assert_eq!(next(&mut connection).await.unwrap(), b"", "the client leaves before its answer");
}

#[tokio::test(start_paused = true)]
async fn what_was_sent_before_the_end_is_passed_on() {
    let (mut client, mut connection, answered) = connect();
    client.write_all(&[GET, GET, &GET[..20]].concat()).await.unwrap();
    drop(client);
    assert_eq!(next(&mut connection).await.unwrap(), GET);
    answered.set();
    assert_eq!(next(&mut connection).await.unwrap(), GET);
    answered.set();
    assert_eq!(next(&mut connection).await.unwrap(), GET[..16]);
    assert_eq!(next(&mut connection).await.unwrap(), GET[16..20]);
    assert_eq!(next(&mut connection).await.unwrap(), b"");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_takes_ends_the_connection_and_one_that_moves_does_not() {
    let (mut client, mut connection, _) = connect();
    let answer = vec![b'a'; 10_000];
    let taking = async {
        for _ in 0..5 {
            sleep(NEARLY).await;
            client.read_exact(&mut [0; 1000]).await.unwrap();
        }
        Instant::now()
    };
    let (written, last) = tokio::join!(connection.write_all(&answer), taking);
    assert_eq!(written.unwrap_err().kind(), ErrorKind::TimedOut);
    assert_eq!(last.elapsed(), LIMIT);
}

#[tokio::test(start_paused = true)]
async fn no_request_is_passed_on_while_the_client_takes_no_answer() {
    let (mut client, mut connection, answered) = connect();
    client.write_all(&[GET, GET].concat()).await.unwrap();
    assert_eq!(next(&mut connection).await.unwrap(), GET);
    answered.set();
    let full = timeout(NEARLY, connection.write_all(&[b'a'; 2000])).await;
    assert!(full.is_err());
    assert_eq!(next(&mut connection).await, None);
    client.read_exact(&mut [0; 1024]).await.unwrap();
    connection.write_all(b"a").await.unwrap();
    assert_eq!(next(&mut connection).await.unwrap(), GET);
}
