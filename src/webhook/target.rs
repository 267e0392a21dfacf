//! Where deliveries may go. Clients choose the endpoints, and a client may be any web page. Therefore only loopback is
//! allowed, if the server itself listens on loopback, and the hosts that a scenario allows. No wildcard allows link-local
//! and metadata addresses, and nothing allows the server's own listening address but for the paths of its receivers.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use url::{Host as Name, Url};

use crate::webhook::settings::Host;

/// A parsed endpoint whose host is not resolved yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) tls: bool,
    /// The host name, or the address as text.
    pub(crate) host: String,
    /// The address, if the URL has one instead of a name. It may be written in any form, such as decimal or with few parts.
    pub(crate) address: Option<IpAddr>,
    pub(crate) port: u16,
    /// Path and query.
    pub(crate) path: String,
}

/// Which addresses are allowed for one subscription.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy<'a> {
    /// The listening address of the server.
    pub(crate) own: SocketAddr,
    /// Hosts that the scenario allows.
    pub(crate) allow: &'a [Host],
    /// Whether a foreign web page made the subscription. Nothing is delivered to it.
    pub(crate) by_page: bool,
}

impl Target {
    /// Parses an endpoint.
    ///
    /// # Errors
    /// Why nothing can be delivered to it.
    pub(crate) fn of(endpoint: &str) -> Result<Self, String> {
        let url = Url::parse(endpoint).map_err(|error| format!("the endpoint is no URL: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("the endpoint is {}, neither http nor https", url.scheme()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("the endpoint has a user name or a password in it".to_owned());
        }
        let (host, address) = match url.host() {
            Some(Name::Domain(name)) => (name.trim_end_matches('.').to_ascii_lowercase(), None),
            Some(Name::Ipv4(address)) => (address.to_string(), Some(address.into())),
            Some(Name::Ipv6(address)) => (format!("[{address}]"), Some(address.into())),
            None => return Err("the endpoint has no host".to_owned()),
        };
        let port = url.port_or_known_default().ok_or("the endpoint has no port")?;
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        Ok(Self { tls: url.scheme() == "https", host, address, port, path: format!("{}{query}", url.path()) })
    }
}

impl Policy<'_> {
    /// Checks whether an address of a target is allowed.
    ///
    /// # Errors
    /// Why it is not.
    pub(crate) fn check(&self, target: &Target, address: IpAddr) -> Result<(), String> {
        if self.by_page {
            return Err("a foreign web page subscribed it, to which nothing is delivered".to_owned());
        }
        let plain = address.to_canonical();
        let own = self.own.ip().to_canonical();
        let forms = [Some(plain), inner(plain)];
        let is_here = |address: &IpAddr| *address == own || address.is_loopback() || address.is_unspecified();
        if target.port == self.own.port() && forms.iter().flatten().any(is_here) {
            if is_receiver(target) {
                return Ok(());
            }
            return Err("the endpoint is Standin's own address".to_owned());
        }
        if self.allow.iter().any(|host| matches!(host, Host::Address(open) if open.to_canonical() == plain)) {
            return Ok(());
        }
        if forms.into_iter().flatten().any(is_special) {
            return Err(format!("{plain} is no address for deliveries: only naming it in `allow` opens it"));
        }
        if self.allow.iter().any(|host| opens(host, &target.host)) {
            return Ok(());
        }
        if !plain.is_loopback() {
            return Err(format!(
                "{} is not loopback: `webhooks: {{allow: […]}}` opens hosts",
                shown(target, plain)
            ));
        }
        if !own.is_loopback() {
            return Err(format!(
                "{plain} is loopback, which is closed while the server listens on {own}: `webhooks: {{allow: […]}}` opens hosts"
            ));
        }
        Ok(())
    }
}

/// Names of the receivers that the server has for trying webhooks, at `/w/<world>/__hooks/<name>`.
pub(crate) const RECEIVERS: [&str; 4] = ["ok", "error", "slow", "never"];

/// Whether the target is one of these. They emit nothing, so that a delivery to them causes no other.
fn is_receiver(target: &Target) -> bool {
    let mut parts = target.path.split('/');
    !target.tls
        && parts.next() == Some("")
        && parts.next() == Some("w")
        && parts.next().is_some_and(|world| !world.is_empty())
        && parts.next() == Some("__hooks")
        && parts.next().is_some_and(|name| RECEIVERS.contains(&name))
        && parts.next().is_none()
}

fn shown(target: &Target, address: IpAddr) -> String {
    if target.address.is_some() { address.to_string() } else { format!("{} ({address})", target.host) }
}

fn opens(host: &Host, name: &str) -> bool {
    match host {
        Host::Named(open) => open == name,
        Host::Under(open) => name.ends_with(open.as_str()),
        Host::Any => true,
        Host::Address(_) => false,
    }
}

/// Addresses that no wildcard or name allows: those that are not a single remote host, metadata services of clouds, and the
/// prefixes of tunnels whose packets go to an IPv4 address that cannot be told from the outside.
fn is_special(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            address.is_link_local()
                || address.is_multicast()
                || a == 0
                || a >= 240
                || (a, b, c) == (192, 0, 0)
                || METADATA.contains(&address)
        }
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            address.is_unspecified()
                || address.is_multicast()
                || address.is_unicast_link_local()
                // NAT64 with a prefix of the own network (RFC 8215), Teredo (RFC 4380), site-local (RFC 3879).
                || (a, b, c) == (0x64, 0xff9b, 1)
                || (a, b) == (0x2001, 0)
                || a & 0xffc0 == 0xfec0
                || METADATA_PREFIXES.contains(&(a, b))
        }
    }
}

/// Metadata services of Alibaba Cloud and Azure. Those of other clouds are link-local.
const METADATA: [Ipv4Addr; 2] = [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(168, 63, 129, 16)];

/// The first two segments of metadata services of AWS, Google Cloud, Oracle Cloud and Scaleway.
const METADATA_PREFIXES: [(u16, u16); 4] = [(0xfd00, 0xec2), (0xfd20, 0xce), (0xfd00, 0xc1), (0xfd00, 0x42)];

/// The IPv4 address to which packets for an IPv6 address may go: compatible (RFC 4291, 2.5.5), translated (RFC 2765), NAT64
/// (RFC 6052), 6to4 (RFC 3056), ISATAP (RFC 5214).
fn inner(address: IpAddr) -> Option<IpAddr> {
    let IpAddr::V6(six) = address else { return None };
    let parts = six.segments();
    let (high, low) = match parts {
        [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..]
        | [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => (high, low),
        [0, 0, 0, 0, 0, 0, high, low] if (high, low) > (0, 1) => (high, low),
        _ => return None,
    };
    Some(IpAddr::V4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: ([u8; 4], u16) = ([127, 0, 0, 1], 8080);

    /// Why an endpoint is not allowed if its name resolves to this address. None if it is allowed.
    fn closed(endpoint: &str, leads_to: &str, allow: &[Host], by_page: bool) -> Option<String> {
        let target = match Target::of(endpoint) {
            Ok(target) => target,
            Err(why) => return Some(why),
        };
        let address = target.address.unwrap_or_else(|| leads_to.parse().unwrap());
        Policy { own: OWN.into(), allow, by_page }.check(&target, address).err()
    }

    #[test]
    fn loopback_alone_is_open_however_an_address_is_written() {
        for open in
            ["http://127.0.0.1:9/x?y", "https://[::1]:9/", "http://127.9.9.9:1/", "http://2130706433:9/"]
        {
            assert_eq!(closed(open, "", &[], false), None, "{open}");
        }
        for (endpoint, leads_to) in [
            ("http://10.0.0.1/", ""),
            ("http://169.254.169.254/latest/meta-data", ""),
            ("http://2852039166/", ""),
            ("http://0xa9fea9fe/", ""),
            ("http://0251.0376.0251.0376/", ""),
            ("http://[::ffff:169.254.169.254]/", ""),
            ("http://[::ffff:10.0.0.1]/", ""),
            ("http://[64:ff9b::a00:1]/", ""),
            ("http://[2002:a00:1::]/", ""),
            ("http://[fe80::1]/", ""),
            ("http://0.0.0.0:9/", ""),
            ("http://inside.test/", "10.0.0.1"),
            ("http://metadata.test/", "169.254.169.254"),
            ("http://mapped.test/", "::ffff:169.254.169.254"),
            ("http://user@127.0.0.1:9/", ""),
            ("http://user:secret@127.0.0.1:9/", ""),
            ("ftp://127.0.0.1/", ""),
        ] {
            assert!(closed(endpoint, leads_to, &[], false).is_some(), "{endpoint}");
        }
        assert_eq!(closed("http://localhost.test:9/", "127.0.0.1", &[], false), None);
        assert_eq!(closed("http://[::ffff:127.0.0.1]:9/", "", &[], false), None);
    }

    #[test]
    fn no_wildcard_opens_metadata_and_link_local_addresses_but_their_own_name_does() {
        let wide = [Host::Any, Host::Under(".test".to_owned()), Host::Named("metadata.test".to_owned())];
        assert_eq!(closed("http://inside.test/", "10.0.0.1", &wide, false), None);
        for endpoint in [
            "http://169.254.169.254/",
            "http://[fe80::1]/",
            "http://[fd00:ec2::254]/",
            "http://[fd00:ec2::23]/",
            "http://[fd20:ce::254]/",
            "http://100.100.100.200/",
            "http://169.254.169.254./",
            "http://2852039166/",
            "http://0251.0376.0251.0376/",
            "http://0xa9fea9fe/",
            "http://169.16689662/",
            "http://%31%36%39.254.169.254/",
            "http://１６９.254.169.254/",
            "http://[::ffff:169.254.169.254]/",
            "http://[::ffff:0:a9fe:a9fe]/",
            "http://[::169.254.169.254]/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://[64:ff9b:1::a9fe:a9fe]/",
            "http://[64:ff9b:1:a9fe:a9:fe00::]/",
            "http://[2002:a9fe:a9fe::1]/",
            "http://[2001:0:4136:e378:8000:63bf:5601:5601]/",
            "http://[2001:db8::5efe:a9fe:a9fe]/",
            "http://[fec0::1]/",
            "http://255.255.255.255/",
        ] {
            assert!(closed(endpoint, "", &wide, false).unwrap().contains("allow"), "{endpoint}");
        }
        for leads_to in ["169.254.169.254", "64:ff9b::a9fe:a9fe", "fe80::a9fe:a9fe", "fd00:ec2::254"] {
            assert!(closed("http://metadata.test./", leads_to, &wide, false).is_some(), "{leads_to}");
        }
        let named = [Host::Address("169.254.169.254".parse().unwrap())];
        assert_eq!(closed("http://169.254.169.254/", "", &named, false), None);
    }

    #[test]
    fn a_name_opens_itself_and_a_star_what_ends_so() {
        let allow = [Host::Named("hooks.example.test".to_owned()), Host::Under(".ci.test".to_owned())];
        assert_eq!(closed("https://HOOKS.example.test./", "203.0.113.1", &allow, false), None);
        assert_eq!(closed("https://a.b.ci.test/", "203.0.113.1", &allow, false), None);
        for other in ["https://x.hooks.example.test/", "https://ci.test/", "https://evilci.test/"] {
            assert!(closed(other, "203.0.113.1", &allow, false).is_some(), "{other}");
        }
    }

    #[test]
    fn our_own_address_is_closed_whatever_is_opened() {
        let allow = [Host::Any, Host::Address("127.0.0.1".parse().unwrap())];
        for own in [
            "http://127.0.0.1:8080/__admin/worlds",
            "http://127.1:8080/",
            "http://[::1]:8080/",
            "http://0:8080/",
        ] {
            assert!(closed(own, "", &allow, false).unwrap().contains("own address"), "{own}");
        }
        assert!(closed("http://localhost:8080/", "127.0.0.1", &allow, false).is_some());
    }

    #[test]
    fn nothing_is_delivered_to_what_a_foreign_page_subscribed() {
        let open = [Host::Address("127.0.0.1".parse().unwrap()), Host::Any];
        for allow in [&[][..], &open] {
            assert!(closed("http://127.0.0.1:9/", "", allow, true).unwrap().contains("web page"));
            assert!(closed("http://hooks.test/", "203.0.113.1", allow, true).unwrap().contains("web page"));
        }
    }

    #[test]
    fn an_address_that_only_contains_a_loopback_address_is_not_loopback() {
        for outside in ["http://[2002:7f00:1::]:9/", "http://[64:ff9b::7f00:1]:9/", "http://[::127.0.0.1]:9/"]
        {
            assert!(closed(outside, "", &[], false).is_some(), "{outside}");
        }
        assert!(closed("http://[64:ff9b::7f00:1]:8080/", "", &[Host::Any], false).unwrap().contains("own"));
    }
}
