//! Where deliveries may go, tried on the client itself. Nothing here can leave the machine, even if the client let it: names
//! are looked up in a list, and the connector refuses everything beyond loopback, and tells.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use standin::webhook::client::{Boxed, Client, Connect, Failure, Http, Outgoing, Resolve};
use standin::webhook::delivery::Answer;
use standin::webhook::settings::Host;
use standin::webhook::target::Policy;
use tokio::net::TcpStream;

use crate::receiver::{Effect, Receiver};

/// Every name has these addresses.
struct Addresses(Vec<IpAddr>);

impl Resolve for Addresses {
    fn resolve<'a>(&'a self, _name: &'a str) -> Boxed<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

/// Connects to loopback alone, and tells where it was to.
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

/// Sends to an endpoint; what came of it, and where a connection was asked for.
fn sent(
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
        body: "{}".into(),
        cut: None,
        timeout: Duration::from_secs(10),
    };
    let policy = Policy { own: ([127, 0, 0, 1], 8080).into(), allow, by_page };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let result = runtime.block_on(client.send(&outgoing, policy));
    let asked = connector.0.lock().unwrap().clone();
    (result, asked)
}

#[test]
fn nothing_is_connected_to_that_is_closed_however_it_is_written() {
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
        let (result, asked) = sent(endpoint, addresses, &[], false);
        assert!(matches!(result, Err(Failure::Closed(_))), "{endpoint}: {result:?}");
        assert!(asked.is_empty(), "{endpoint}: {asked:?}");
    }
}

#[test]
fn a_name_with_an_open_and_a_closed_address_is_connected_to_the_open_one() {
    let receiver = Receiver::new(&[Effect::Answer(200)]);
    let port = receiver.url.rsplit(':').next().unwrap().to_owned();
    let (result, asked) = sent(&format!("http://both.test:{port}"), &["10.0.0.1", "127.0.0.1"], &[], false);
    assert_eq!(result.unwrap().status, 200);
    assert!(asked.iter().all(|address| address.ip().is_loopback()) && asked.len() == 1, "{asked:?}");
}

#[test]
fn a_redirect_is_an_answer_and_not_a_way() {
    let receiver = Receiver::new(&[Effect::Answer(302)]);
    let (result, asked) = sent(&receiver.url, &[], &[Host::Any], false);
    assert_eq!((result.unwrap().status, asked.len(), receiver.came().len()), (302, 1, 1));
}

#[test]
fn what_a_scenario_opens_is_asked_for_and_metadata_is_not() {
    let any = [Host::Any];
    let (result, asked) = sent("http://203.0.113.7:81/", &[], &any, false);
    assert!(matches!(result, Err(Failure::Failed(why)) if why.contains("loopback alone")));
    assert_eq!(asked, ["203.0.113.7:81".parse().unwrap()]);
    let (result, asked) = sent("http://metadata.test/", &["169.254.169.254"], &any, false);
    assert!(matches!(result, Err(Failure::Closed(_))) && asked.is_empty());
}

#[test]
fn what_a_page_subscribed_stays_closed_until_the_scenario_opens_it() {
    let receiver = Receiver::new(&[Effect::Answer(200)]);
    let (result, asked) = sent(&receiver.url, &[], &[], true);
    assert!(matches!(result, Err(Failure::Closed(_))) && asked.is_empty());
    let open = [Host::Address("127.0.0.1".parse().unwrap())];
    assert_eq!(sent(&receiver.url, &[], &open, true).0.unwrap().status, 200);
}
