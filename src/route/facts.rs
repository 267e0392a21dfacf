//! What templates read: the data of a world, by the functions that they call.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::value::{Kwargs, Object, ObjectRepr, Rest, from_args};
use minijinja::{Error, ErrorKind, State, Value};
use serde_json::json;

use crate::api::dates::Day;
use crate::api::sources::Source;
use crate::auth::{Caller, Key};
use crate::clock::Moment;
use crate::dataset::added::{self, Additions, ListedQuestion, ListedReview};
use crate::dataset::contacts::Identity;
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::insight;
use crate::dataset::records::{Business, Contact, Kind, Locale};
use crate::dataset::selection::Filter;
use crate::draw::{Draw, Seed};
use crate::ledger::Ledger;
use crate::ledger::shown::Subscription;
use crate::route::records::{Record, Records};
use crate::template::compiled::serialized;
use crate::template::{Left, too_large};

/// The data of one world.
pub(crate) trait Facts: Debug + Send + Sync {
    fn dataset(&self) -> &Dataset;
    /// Reviews and questions added at runtime.
    fn added(&self) -> Option<Arc<Additions>>;
    fn ledger(&self) -> &Mutex<Ledger>;
    /// The key with which the request was sent. None if any key is accepted, or none was sent.
    fn key(&self) -> Option<&Key>;
    fn today(&self) -> Day;
}

/// The functions that read data.
pub(crate) const FUNCTIONS: [&str; 10] = [
    "business",
    "sources",
    "businesses",
    "locations",
    "competitors",
    "reviews",
    "questions",
    "contacts",
    "subscriptions",
    "score",
];

/// The arguments that a function takes by name. The first may stand without it, where there is one. None if there is no such
/// function.
pub(crate) fn arguments(function: &str) -> Option<&'static [&'static str]> {
    Some(match function {
        "reviews" | "score" => &["business", "since", "until"],
        "questions" => &["business"],
        "business" => &["number"],
        "locations" | "competitors" => &["account"],
        "contacts" => &["account", "email", "phone"],
        _ if FUNCTIONS.contains(&function) || DRAWS.contains(&function) => &[],
        _ => return None,
    })
}

/// How many arguments without a name a function takes, at least and at most. None if there is no such function.
pub(crate) fn unnamed_arguments(function: &str) -> Option<(usize, usize)> {
    Some(match function {
        "number" => (2, 2),
        "pick" => (1, 1),
        _ => (0, arguments(function)?.len().min(1)),
    })
}

/// A function over the data, bound to a request.
#[derive(Debug)]
pub(crate) struct DataFunction {
    pub(crate) name: &'static str,
    pub(crate) facts: Arc<dyn Facts>,
}

impl Object for DataFunction {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        let (given, named): (Rest<Value>, Kwargs) = from_args(args)?;
        let first = given.0.first().cloned();
        if given.0.len() > 1 {
            return Err(wrong(format!("`{}` takes its arguments by name", self.name)));
        }
        let known = arguments(self.name).unwrap_or_default();
        // An argument that is given and undefined finds nothing, and not all.
        let argument = |name: &str| {
            let is_given = known.contains(&name) && named.has(name);
            is_given.then(|| named.get::<Value>(name).unwrap_or_default())
        };
        let business = known.first().and_then(|own| first.or_else(|| argument(own)));
        let since = self.day("since", argument("since"))?;
        let until = self.day("until", argument("until"))?;
        let identities = [argument("email"), argument("phone")];
        named.assert_all_used()?;
        let reader = Reader { facts: &self.facts, dataset: self.facts.dataset() };
        let place = business.as_ref().map(|number| reader.find(number));
        let value = match self.name {
            "businesses" => reader.businesses(),
            "business" => reader.business(place.flatten()),
            "sources" => reader.sources(),
            "locations" => reader.locations(place),
            "competitors" => reader.competitors(place),
            "reviews" => reader.reviews(place, since, until),
            "questions" => reader.questions(place),
            "contacts" => reader.contacts(place, &identities),
            "subscriptions" => reader.subscriptions(),
            _ => reader.score(place, since, until),
        };
        // A long list takes memory and time even if nobody looks at it.
        let weight = 24 * value.len().unwrap_or(0);
        let left = &mut Left::of(state).values;
        *left = left.checked_sub(weight).ok_or_else(|| too_large(self.name))?;
        Ok(value)
    }
}

impl DataFunction {
    fn day(&self, name: &str, given: Option<Value>) -> Result<Option<Day>, Error> {
        let Some(given) = given.filter(|given| !given.is_undefined() && !given.is_none()) else {
            return Ok(None);
        };
        let text = given.to_string();
        day(&text, self.facts.today()).map(Some).ok_or_else(|| {
            wrong(format!("`{name}` of `{}` must be a day such as 2026-06-30, and {text} is none", self.name))
        })
    }
}

/// A day as ISO text, or as requests have it.
fn day(text: &str, _today: Day) -> Option<Day> {
    let text = text.trim();
    let iso = text.get(..10).filter(|_| text.as_bytes().get(10) == Some(&b'T')).unwrap_or(text);
    Day::from_scenario(iso).or_else(|| Day::from_request(text))
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}

/// The account or location with a number, if it exists.
type Place = Option<BusinessRef>;

struct Reader<'a> {
    facts: &'a Arc<dyn Facts>,
    dataset: &'a Dataset,
}

impl Reader<'_> {
    fn find(&self, number: &Value) -> Place {
        let number = number.as_i64().or_else(|| crate::auth::whole_number(number.as_str()?))?;
        self.dataset.find(number)
    }

    /// The locations of a business, of all if none is given, and of none if it does not exist.
    fn locations_of(&self, place: Option<Place>) -> Vec<u32> {
        match place {
            None => (0..u32::try_from(self.dataset.location_count()).unwrap_or(u32::MAX)).collect(),
            Some(None) => Vec::new(),
            Some(Some(place)) => self.dataset.locations_of(place),
        }
    }

    fn businesses(&self) -> Value {
        let caller = Caller { key: self.facts.key() };
        let accounts = self.dataset.accounts().filter(|account| caller.covers(self.dataset, *account));
        accounts.map(|account| account_value(self.dataset.account(account))).collect()
    }

    /// An account or a location that the key covers.
    fn business(&self, place: Place) -> Value {
        let caller = Caller { key: self.facts.key() };
        let covered = place.filter(|place| caller.covers(self.dataset, self.dataset.account_at(*place)));
        match covered {
            Some(BusinessRef::Account(account)) => account_value(self.dataset.account(account)),
            Some(BusinessRef::Location(location)) => self.location(location),
            None => Value::from(()),
        }
    }

    fn sources(&self) -> Value {
        let source = |source: &Source| {
            serialized(&json!({
                "alias": source.alias, "name": source.name, "recommendation": source.recommendation,
            }))
        };
        self.dataset.sources.iter().map(source).collect()
    }

    fn location(&self, location: u32) -> Value {
        let account = self.dataset.account(self.dataset.account_of(location));
        let location = self.dataset.location(location);
        serialized(&json!({
            "number": location.number,
            "name": location.name,
            "city": location.city,
            "state": location.state,
            "country": location.country,
            "levels": location.levels,
            "account": account.number,
            "accountName": account.name,
            "category": account.category,
            "type": "location",
        }))
    }

    fn locations(&self, account: Option<Place>) -> Value {
        self.locations_of(account).into_iter().map(|location| self.location(location)).collect()
    }

    fn competitors(&self, account: Option<Place>) -> Value {
        let of = |account: u32| self.dataset.account(account).competitors.iter();
        let numbers: Vec<u64> = match account {
            Some(None) => Vec::new(),
            Some(Some(place)) => of(self.dataset.account_at(place)).copied().collect(),
            None => {
                let mut all: Vec<u64> = self.dataset.accounts().flat_map(of).copied().collect();
                all.sort_unstable();
                all.dedup();
                all
            }
        };
        let found =
            numbers.into_iter().filter_map(|number| match self.dataset.find(number.try_into().ok()?)? {
                BusinessRef::Account(account) => Some(account_value(self.dataset.account(account))),
                BusinessRef::Location(_) => None,
            });
        found.collect()
    }

    fn reviews(&self, business: Option<Place>, since: Option<Day>, until: Option<Day>) -> Value {
        let locations = self.locations_of(business);
        let filter = Filter { locations: Some(&locations), from: since, to: until, ..Filter::default() };
        let additions = self.facts.added();
        let list =
            added::reviews(self.dataset, additions.as_deref(), &filter, None).map(|listed| match listed {
                ListedReview::Seeded(row) => Record::Review(row),
                ListedReview::Added(review) => Record::AddedReview(Arc::clone(review)),
            });
        self.records(list.collect())
    }

    fn score(&self, business: Option<Place>, since: Option<Day>, until: Option<Day>) -> Value {
        let mut locations = self.locations_of(business);
        locations.sort_unstable();
        let filter = Filter { from: since, to: until, ..Filter::default() };
        let added = self.facts.added();
        Value::from(insight::total(self.dataset, added.as_deref(), &filter, &locations).tenths().value())
    }

    fn questions(&self, business: Option<Place>) -> Value {
        let locations = self.locations_of(business);
        let wanted = |location: u32, _| locations.binary_search(&location).is_ok();
        let additions = self.facts.added();
        let list = added::questions(self.dataset, additions.as_deref(), wanted).map(|listed| match listed {
            ListedQuestion::Seeded(row) => Record::Question(*row),
            ListedQuestion::Added(question) => Record::AddedQuestion(Arc::clone(question)),
        });
        self.records(list.collect())
    }

    /// The contacts of an account; of a location those that are mapped to it. With an email or a phone only those that the upsert
    /// finds by it.
    fn contacts(&self, business: Option<Place>, [email, phone]: &[Option<Value>; 2]) -> Value {
        let email = email.as_ref().map(|sent| sent.as_str().map(Identity::email));
        let has = |contact: &Contact| {
            let own = contact.email.as_deref().map(Identity::email);
            let country = contact.country_code.as_deref();
            let identity = |phone: &str| Identity::phone(phone, country);
            email.as_ref().is_none_or(|sent| sent.is_some() && *sent == own)
                && phone.as_ref().is_none_or(|sent| {
                    let sent = sent.as_str().map(identity);
                    sent.is_some() && sent == contact.phone.as_deref().map(identity)
                })
        };
        let caller = Caller { key: self.facts.key() };
        let (accounts, location): (Vec<u32>, _) = match business {
            None => {
                let covered = |account: &u32| caller.covers(self.dataset, *account);
                (self.dataset.accounts().filter(covered).collect(), None)
            }
            Some(None) => (Vec::new(), None),
            Some(Some(BusinessRef::Account(account))) => (
                self.dataset.accounts().filter(|other| self.dataset.is_under(*other, account)).collect(),
                None,
            ),
            Some(Some(BusinessRef::Location(location))) => {
                (vec![self.dataset.account_of(location)], Some(self.dataset.location(location).number))
            }
        };
        let ledger = self.facts.ledger().lock().unwrap_or_else(PoisonError::into_inner);
        let mut list = Vec::new();
        for account in accounts {
            let number = self.dataset.account(account).number;
            let view = ledger.contacts.of(number, self.dataset.contacts.of(number));
            let all = view.all().into_iter();
            let of_location =
                all.filter(|contact| location.is_none_or(|number| contact.business_ids.contains(&number)));
            let found = of_location.filter(|contact| has(contact));
            list.extend(found.map(|contact| Record::Contact(Arc::clone(contact))));
        }
        drop(ledger);
        self.records(list)
    }

    fn subscriptions(&self) -> Value {
        let caller = Caller { key: self.facts.key() };
        let is_covered =
            |business: u64| match i64::try_from(business).ok().and_then(|it| self.dataset.find(it)) {
                Some(place) => caller.covers(self.dataset, self.dataset.account_at(place)),
                None => false,
            };
        let ledger = self.facts.ledger().lock().unwrap_or_else(PoisonError::into_inner);
        let all = ledger.subscriptions.all().iter().filter(|stored| is_covered(stored.business));
        all.map(|stored| serialized(&Subscription::of(stored))).collect()
    }

    fn records(&self, list: Vec<Record>) -> Value {
        Value::from_object(Records { facts: Arc::clone(self.facts), list })
    }
}

fn account_value(account: &Business) -> Value {
    serialized(&json!({
        "number": account.number,
        "name": account.name,
        "city": account.city,
        "state": account.state,
        "country": account.country,
        "type": match account.kind { Kind::Enterprise => "enterprise", Kind::Reseller => "reseller" },
        "parent": account.parent,
        "category": account.category,
        "industryScore": account.industry_score.map(insight::Tenths::value),
        "users": account.users,
        "levels": account.levels,
        "competitors": account.competitors,
    }))
}

/// The functions that draw.
pub(crate) const DRAWS: [&str; 4] = ["uuid", "number", "pick", "name"];

/// The draws of one answer. Each has a number of its own.
#[derive(Debug)]
pub(crate) struct Draws {
    draw: Draw,
    count: Mutex<u64>,
}

impl Draws {
    pub(crate) fn new(seed: Seed, route: &str, fingerprint: u64, attempt: u32) -> Self {
        let draw = Draw::new(seed, "route").with_text(route).with(fingerprint).with(attempt.into());
        Self { draw, count: Mutex::new(0) }
    }

    fn next(&self) -> Draw {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        self.draw.with(*count)
    }
}

/// A function that draws, bound to a request.
#[derive(Debug)]
pub(crate) struct DrawFunction {
    pub(crate) name: &'static str,
    pub(crate) draws: Arc<Draws>,
}

impl Object for DrawFunction {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        let mut draw = self.draws.next();
        match self.name {
            "number" => {
                let (from, to): (i64, i64) = from_args(args)?;
                let span = to.checked_sub(from).and_then(|span| u64::try_from(span).ok());
                let span = span.and_then(|span| span.checked_add(1));
                let span = span.ok_or_else(|| wrong("`number` takes a range: number(1, 100)".to_owned()))?;
                let drawn = i64::try_from(draw.below(span)).unwrap_or(0);
                Ok(Value::from(from.saturating_add(drawn)))
            }
            "pick" => {
                let (list,): (Value,) = from_args(args)?;
                let length = list.len().unwrap_or(0);
                if length == 0 {
                    return Err(wrong("`pick` takes a list with at least one element".to_owned()));
                }
                let at = draw.below(length as u64);
                list.get_item(&Value::from(at))
            }
            "name" => {
                let () = from_args(args)?;
                let person = crate::dataset::people::person(Locale::En, &mut draw);
                Ok(Value::from(format!("{} {}", person.first, person.last)))
            }
            _ => {
                let () = from_args(args)?;
                let (high, low) = (draw.number(), draw.number());
                Ok(Value::from(uuid(high, low)))
            }
        }
    }
}

/// A UUID of version 4 of these bits.
pub(crate) fn uuid(high: u64, low: u64) -> String {
    let high = (high & 0xffff_ffff_ffff_0fff) | 0x4000;
    let low = (low & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

/// The instant as templates see it.
pub(crate) fn now(moment: Moment) -> Value {
    Value::from(moment.iso())
}
