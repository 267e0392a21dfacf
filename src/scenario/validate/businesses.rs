//! Validates accounts and their locations: their numbers, and the references between them.

use std::collections::{BTreeMap, BTreeSet};

use crate::dataset::insight::Tenths;
use crate::dataset::records::{Business, CATEGORIES, Kind, Location, NEUTRAL};
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::loader::Loader;
use crate::scenario::raw::{self, List};
use crate::scenario::read::Spanned;
use crate::scenario::references::BusinessKind;
use crate::scenario::report::unknown_reference;
use crate::scenario::scalars::{Id, NonBlank};
use crate::scenario::validate::contacts;
use crate::scenario::validate::plan::Surroundings;
use crate::scenario::validate::{RecordContext, Unique, questions, reviews, warn_no_effect};

/// Maximum number of levels of an account.
const MAX_LEVELS: usize = 100;

/// The numbers of all accounts and locations.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    businesses: BTreeMap<u64, (Kind, Option<Spanned<Id>>)>,
    /// Location numbers, each with the number of its account.
    locations: BTreeMap<u64, u64>,
    /// Account numbers as text, for help messages.
    numbers: Vec<String>,
}

impl Accounts {
    /// Collects all numbers. Reports a number that appears twice.
    pub(crate) fn collect(findings: &mut Findings, list: &List<raw::Business>) -> Self {
        let mut accounts = Self::default();
        let mut unique = Unique::new("duplicate-number", "number");
        let mut is_new = |findings: &mut Findings, number: Spanned<Id>| {
            unique.insert(findings, number.value.0, number.span)
        };
        for Spanned { value: raw, .. } in list {
            let own = raw.number.filter(|number| is_new(findings, *number)).map(|number| number.value.0);
            if let Some(own) = own {
                accounts.businesses.insert(own, (kind(raw), raw.parent));
            }
            for location in raw.locations.iter().flat_map(|list| &list.value) {
                if let Some(number) = location.value.number.filter(|number| is_new(findings, *number)) {
                    accounts.locations.insert(number.value.0, own.unwrap_or_default());
                }
            }
        }
        accounts.numbers = accounts.businesses.keys().map(u64::to_string).collect();
        accounts
    }

    /// All numbers, each with what it belongs to.
    pub(crate) fn numbers(&self) -> BTreeMap<u64, BusinessKind> {
        let accounts = self.businesses.keys().map(|number| (*number, BusinessKind::Account));
        let locations =
            self.locations.iter().map(|(number, account)| (*number, BusinessKind::Location(*account)));
        accounts.chain(locations).collect()
    }

    /// Resolves the number of an account. Reports an unknown number, and a location's. `key` is the key it is written at.
    pub(crate) fn resolve(&self, findings: &mut Findings, key: &str, number: Spanned<Id>) -> Option<u64> {
        let wanted = number.value.0;
        if self.businesses.contains_key(&wanted) {
            return Some(wanted);
        }
        if let Some(account) = self.locations.get(&wanted) {
            let message = format!("{wanted} is a location, but `{key}` takes accounts");
            let finding = findings.error("wrong-reference", number.span, message);
            if *account > 0 {
                finding.help(format!("its account is {account}"));
            }
        } else {
            let all = self.numbers.iter().map(String::as_str);
            unknown_reference(findings, number.span, ("business", &wanted.to_string()), all);
        }
        None
    }

    /// Resolves a number that must belong to an account or one of its locations.
    pub(crate) fn resolve_within(
        &self,
        findings: &mut Findings,
        account: u64,
        number: Spanned<Id>,
    ) -> Option<u64> {
        let wanted = number.value.0;
        if wanted == account || self.locations.get(&wanted) == Some(&account) {
            return Some(wanted);
        }
        let message = format!("{wanted} is neither business {account} nor one of its locations");
        let finding = findings.error("unknown-reference", number.span, message);
        if finding.is_shown() {
            let own =
                self.locations.iter().filter(|(_, of)| **of == account).map(|(number, _)| number.to_string());
            let own: Vec<String> = std::iter::once(account.to_string()).chain(own).collect();
            finding.suggest(&wanted.to_string(), own.iter().map(String::as_str));
        }
        None
    }

    fn parent(&self, number: u64) -> Option<Spanned<Id>> {
        self.businesses.get(&number)?.1
    }

    /// Reports each cycle of parents once.
    fn check_parent_cycles(&self, findings: &mut Findings) {
        let mut done = BTreeSet::new();
        for start in self.businesses.keys() {
            let (mut path, mut on_path) = (vec![*start], BTreeSet::from([*start]));
            while let Some(parent) = path.last().and_then(|last| self.parent(*last)) {
                let number = parent.value.0;
                if done.contains(&number) {
                    break;
                }
                if !on_path.insert(number) {
                    let place = path.iter().position(|before| *before == number).unwrap_or_default();
                    let names = path[place..].iter().chain([&number]).map(u64::to_string);
                    let names = names.collect::<Vec<_>>().join(" -> ");
                    findings.error(
                        "parent-circle",
                        parent.span,
                        format!("these parents form a cycle: {names}"),
                    );
                    break;
                }
                path.push(number);
            }
            done.extend(path);
        }
    }
}

fn kind(raw: &raw::Business) -> Kind {
    match raw.kind.map(|kind| kind.value) {
        Some(raw::Kind::Reseller) => Kind::Reseller,
        Some(raw::Kind::Enterprise) | None => Kind::Enterprise,
    }
}

pub(crate) fn validate(
    loader: &mut Loader,
    context: &RecordContext,
    list: List<raw::Business>,
    accounts: &Accounts,
) -> Vec<Business> {
    accounts.check_parent_cycles(&mut loader.findings);
    list.into_iter().filter_map(|raw| business(loader, context, raw.value, accounts)).collect()
}

fn business(
    loader: &mut Loader,
    context: &RecordContext,
    raw: raw::Business,
    accounts: &Accounts,
) -> Option<Business> {
    let findings = &mut loader.findings;
    let number = raw.number.map_or(0, |number| number.value.0);
    let kind = kind(&raw);
    if kind == Kind::Reseller {
        warn_of_enterprise_keys(findings, &raw);
    }
    let parent = raw.parent.and_then(|parent| reseller(findings, accounts, parent));
    let competitors = raw.competitors.into_iter().flat_map(|list| list.value);
    let competitors = competitors.filter_map(|it| competitor(findings, accounts, number, it)).collect();
    let category = category(findings, raw.category);
    let users = raw.users.into_iter().flat_map(|list| list.value).map(|user| user.value.0).collect();
    let levels = levels(findings, raw.levels);
    let mut ids = Ids { reviews: reviews::new_ids(), questions: questions::Ids::default() };
    let locations = raw.locations.into_iter().flat_map(|list| list.value);
    let home = Home {
        city: raw.city.map(|city| city.value.0),
        state: raw.state.map(|state| state.value.0),
        country: raw.country.map(|country| country.value.0),
    };
    let own = Enterprise { category: &category, levels: &levels, home };
    let (city, state, country) = (own.home.city.clone(), own.home.state.clone(), own.home.country.clone());
    let locations =
        locations.filter_map(|raw| location(loader, context, raw.value, &own, &mut ids)).collect();
    let contacts = raw.contacts.map(|list| list.value).unwrap_or_default();
    let (contacts, contact_plans) = contacts::validate(loader, accounts, number, contacts);
    Some(Business {
        number: raw.number?.value.0,
        name: raw.name?.value.0,
        kind,
        parent,
        category,
        industry_score: raw.industry_score.map(|score| Tenths(score.value.0.into())),
        city,
        state,
        country,
        text_categorisation: raw.text_categorisation.is_some_and(|it| it.value),
        users,
        levels,
        competitors,
        locations,
        contacts,
        contact_plans,
    })
}

/// Warns about keys of a reseller that only enterprises use.
fn warn_of_enterprise_keys(findings: &mut Findings, raw: &raw::Business) {
    for (key, span, help) in [
        (
            "industry_score",
            raw.industry_score.as_ref().map(|score| score.span),
            "the industry score of a reseller is the mean of its enterprises'",
        ),
        (
            "text_categorisation",
            raw.text_categorisation.as_ref().map(|it| it.span),
            "contacts are created and updated at enterprises",
        ),
        (
            "contacts",
            raw.contacts.as_ref().map(|list| list.span),
            "contacts are created and updated at enterprises",
        ),
    ] {
        if let Some(span) = span {
            warn_no_effect(findings, span, &format!("`{key}` has no effect on a reseller")).help(help);
        }
    }
}

fn levels(findings: &mut Findings, list: Option<Spanned<List<NonBlank>>>) -> Vec<String> {
    if let Some(list) = list.as_ref().filter(|list| list.value.len() > MAX_LEVELS) {
        findings.error("limit", list.span, format!("`levels` has more than {MAX_LEVELS} entries"));
        return Vec::new();
    }
    let (mut levels, mut unique) = (Vec::new(), Unique::new("duplicate-name", "level"));
    for Spanned { span, value: NonBlank(level) } in list.into_iter().flat_map(|list| list.value) {
        unique.insert(findings, level.clone(), span);
        levels.push(level);
    }
    levels
}

/// The ids of an account's records, which must be unique within the account.
struct Ids {
    reviews: Unique<String>,
    questions: questions::Ids,
}

/// What locations take over from their account.
struct Enterprise<'a> {
    category: &'a str,
    /// The names of its levels.
    levels: &'a [String],
    home: Home,
}

struct Home {
    city: Option<String>,
    state: Option<String>,
    country: Option<String>,
}

fn location(
    loader: &mut Loader,
    context: &RecordContext,
    raw: raw::Location,
    account: &Enterprise<'_>,
    ids: &mut Ids,
) -> Option<Location> {
    let own_levels = raw.levels.map(|levels| levels.value.0).unwrap_or_default();
    for level in own_levels.iter().filter(|level| !account.levels.contains(&level.key)) {
        let names: BTreeSet<&str> = account.levels.iter().map(String::as_str).collect();
        unknown_reference(&mut loader.findings, level.key_span, ("level", &level.key), names);
    }
    // A location that names its city does not take over the account's state.
    let city = raw.city.map(|city| city.value.0);
    let state = raw.state.map(|state| state.value.0);
    let state = state.or_else(|| if city.is_none() { account.home.state.clone() } else { None });
    let city = city.or_else(|| account.home.city.clone());
    let country = raw.country.map(|country| country.value.0).or_else(|| account.home.country.clone());
    let surroundings = Surroundings { category: account.category, country: country.as_deref() };
    let reviews = raw.reviews.map(|list| list.value).unwrap_or_default();
    let reviews = reviews::validate(loader, context, surroundings, reviews, &mut ids.reviews);
    let questions = raw.questions.map(|list| list.value).unwrap_or_default();
    let questions = questions::validate(loader, context, surroundings, questions, &mut ids.questions);
    Some(Location {
        number: raw.number?.value.0,
        name: raw.name?.value.0,
        city,
        state,
        country,
        levels: own_levels.into_iter().map(|level| (level.key, level.value.0)).collect(),
        reviews,
        questions,
    })
}

fn reseller(findings: &mut Findings, accounts: &Accounts, parent: Spanned<Id>) -> Option<u64> {
    let number = accounts.resolve(findings, "parent", parent)?;
    if accounts.businesses.get(&number).map(|(kind, _)| *kind) == Some(Kind::Reseller) {
        return Some(number);
    }
    findings
        .error(
            "wrong-reference",
            parent.span,
            format!("`parent` must be a reseller, but {number} is not one"),
        )
        .help(format!("to make {number} a reseller, give it `type: reseller`"));
    None
}

fn competitor(findings: &mut Findings, accounts: &Accounts, own: u64, number: Spanned<Id>) -> Option<u64> {
    let wanted = accounts.resolve(findings, "competitors", number)?;
    let reseller = accounts.businesses.get(&wanted).is_some_and(|(kind, _)| *kind == Kind::Reseller);
    let message = match (wanted == own, reseller) {
        (true, _) => "a business cannot be its own competitor".to_owned(),
        (false, true) => format!("{wanted} is a reseller, but `competitors` takes enterprises"),
        (false, false) => return Some(wanted),
    };
    findings.error("wrong-reference", number.span, message);
    None
}

fn category(findings: &mut Findings, raw: Option<Spanned<NonBlank>>) -> String {
    let Some(Spanned { span, value: NonBlank(written) }) = raw else { return NEUTRAL.to_owned() };
    let wanted = written.trim().to_lowercase().replace(['_', ' '], "-");
    if let Some(known) = CATEGORIES.iter().find(|known| **known == wanted) {
        return (*known).to_owned();
    }
    findings
        .warning("unknown-category", span, format!("there are no phrases for the category `{written}`"))
        .suggest(&wanted, CATEGORIES)
        .help(format!(
            "neutral phrases are used instead; the categories are {}",
            join_or(CATEGORIES).replace(" or ", " and ")
        ));
    NEUTRAL.to_owned()
}
