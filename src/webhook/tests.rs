//! Which targets the webhook client connects to. No test leaves the machine: names are looked up in a list, and the connector refuses every address
//! except loopback.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tokio::net::TcpStream;

use super::client::{Boxed, Client, Connect, Failure, Http, Outgoing, Resolve};
use super::delivery::Answer;
use super::settings::Host;
use super::target::Policy;

/// Resolves every name to these addresses.
struct Addresses(Vec<IpAddr>);

impl Resolve for Addresses {
    fn resolve<'a>(&'a self, _name: &'a str) -> Boxed<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

/// Connects only to loopback, and records all addresses.
#[derive(Clone, Default)]
struct Loopback(Arc<Mutex<Vec<SocketAddr>>>);

impl Connect for Loopback {
    fn connect(&self, address: SocketAddr) -> Boxed<'_, io::Result<TcpStream>> {
        self.0.lock().unwrap().push(address);
        Box::pin(async move {
            if !address.ip().is_loopback() {
                return Err(io::Error::other("a test connects to loopback alone"));
            }
            TcpStream::connect(address).await
        })
    }
}

/// A receiver on a free port that answers one request with this status. Returns its port.
fn receiver(status: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let headers = reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty());
        assert!(headers.count() > 1);
        reader.read_exact(&mut [0; BODY.len()]).unwrap();
        write!(stream, "HTTP/1.1 {status} Status\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n")
            .unwrap();
    });
    port
}

const BODY: &str = "{}";

/// Sends to an endpoint. Returns the result and the addresses that a connection was requested to.
fn send(
    endpoint: &str,
    addresses: &[&str],
    allow: &[Host],
    by_page: bool,
) -> (Result<Answer, Failure>, Vec<SocketAddr>) {
    let connector = Loopback::default();
    let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
    let client = Http::new(Box::new(Addresses(addresses)), Box::new(connector.clone()));
    let outgoing = Outgoing {
        endpoint: endpoint.into(),
        headers: Vec::new(),
        body: BODY.into(),
        cut: None,
        timeout: Duration::from_secs(10),
    };
    let policy = Policy { own: ([127, 0, 0, 1], 8080).into(), allow, by_page };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let result = runtime.block_on(client.send(&outgoing, policy));
    let connections = connector.0.lock().unwrap().clone();
    (result, connections)
}

#[test]
fn forbidden_targets_are_never_connected_to_however_they_are_written() {
    for (endpoint, addresses) in [
        ("http://10.0.0.1/", &[][..]),
        ("http://169.254.169.254/latest/meta-data", &[]),
        ("http://2852039166/", &[]),
        ("http://0xa9.0xfe.0xa9.0xfe/", &[]),
        ("http://[::ffff:10.0.0.1]/", &[]),
        ("http://[::ffff:a9fe:a9fe]/", &[]),
        ("http://[fe80::1]/", &[]),
        ("http://user:pass@127.0.0.1:9/", &[]),
        ("http://inside.test/", &["10.0.0.1"]),
        ("http://metadata.test/", &["169.254.169.254"]),
        ("http://mapped.test/", &["::ffff:169.254.169.254", "fe80::1"]),
        ("http://localhost:8080/__admin/worlds", &["127.0.0.1", "::1"]),
        ("http://127.1:8080/__admin/worlds", &[]),
        ("https://203.0.113.7/", &[]),
    ] {
        let (result, connections) = send(endpoint, addresses, &[], false);
        assert!(matches!(result, Err(Failure::Closed(_))), "{endpoint}: {result:?}");
        assert!(connections.is_empty(), "{endpoint}: {connections:?}");
    }
}

#[test]
fn a_name_with_an_allowed_and_a_forbidden_address_is_connected_to_the_allowed_one() {
    let port = receiver(200);
    let (result, connections) =
        send(&format!("http://both.test:{port}"), &["10.0.0.1", "127.0.0.1"], &[], false);
    assert_eq!(result.unwrap().status, 200);
    assert!(
        connections.iter().all(|address| address.ip().is_loopback()) && connections.len() == 1,
        "{connections:?}"
    );
}

#[test]
fn a_redirect_is_not_followed() {
    let (result, connections) =
        send(&format!("http://127.0.0.1:{}", receiver(302)), &[], &[Host::Any], false);
    assert_eq!((result.unwrap().status, connections.len()), (302, 1));
}

#[test]
fn a_scenario_can_allow_hosts_but_not_metadata_addresses() {
    let any = [Host::Any];
    let (result, connections) = send("http://203.0.113.7:81/", &[], &any, false);
    assert!(matches!(result, Err(Failure::Failed(why)) if why.contains("loopback alone")));
    assert_eq!(connections, ["203.0.113.7:81".parse().unwrap()]);
    let (result, connections) = send("http://metadata.test/", &["169.254.169.254"], &any, false);
    assert!(matches!(result, Err(Failure::Closed(_))) && connections.is_empty());
}

#[test]
fn a_subscription_of_a_foreign_web_page_is_never_connected_to() {
    let open = [Host::Address("127.0.0.1".parse().unwrap()), Host::Any];
    for allow in [&[][..], &open] {
        let (result, connections) = send("http://127.0.0.1:9/", &[], allow, true);
        assert!(matches!(result, Err(Failure::Closed(_))) && connections.is_empty());
    }
}
