//! Fields that both sentiment operations have: `businessNumbers`, `hierarchyNodeData`, and the order of their dates.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::error::{ApiError, Code};
use crate::api::field::{Field, element_must_be, nested};
use crate::dataset::facts::Dataset;
use crate::dataset::hierarchy::LevelFilter;

/// One item of `hierarchyNodeData`.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HierarchyNode<'a> {
    #[serde(borrow, default)]
    #[schema(value_type = String, required = true)]
    pub(crate) level_id: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<String>)]
    pub(crate) level_names: Field<'a>,
}

/// The most entries that `businessNumbers` may have.
const MOST_NUMBERS: usize = 100;

/// The locations that `businessNumbers` name, each once. An account names all its locations.
///
/// # Errors
/// 2003 where the field is absent, not a list of integers or too long; 1027 for a number outside the account.
pub(crate) fn business_numbers(
    dataset: &Dataset,
    enterprise: u32,
    field: Field<'_>,
) -> Result<Vec<u32>, ApiError> {
    let numbers = field.integers("businessNumbers")?;
    if numbers.is_empty() {
        return Err(ApiError::mandatory("businessNumbers"));
    }
    if numbers.len() > MOST_NUMBERS {
        let detail = format!("businessNumbers: {} entries", numbers.len());
        return Err(ApiError::validation("Only 100 businessNumbers are allowed", detail));
    }
    let mut locations = Vec::new();
    for (at, number) in numbers.into_iter().enumerate() {
        let place =
            dataset.find(number).filter(|place| dataset.is_under(dataset.account_at(*place), enterprise));
        let Some(place) = place else {
            let sent = field.sent_element(at);
            let detail = format!("businessNumbers[{at}]: {sent} is not a business of this enterprise");
            return Err(ApiError::new(Code::NumberInvalid, detail));
        };
        dataset.add_locations_of(place, &mut locations);
    }
    locations.sort_unstable();
    locations.dedup();
    Ok(locations)
}

/// The conditions of `hierarchyNodeData`.
///
/// # Errors
/// 2003 where an item is not as documented.
pub(crate) fn hierarchy(field: Field<'_>) -> Result<Vec<LevelFilter>, ApiError> {
    let (name, allowed) = ("hierarchyNodeData", "a list of objects");
    let read = |(at, raw): (usize, &str)| {
        let place = format!("{name}[{at}]");
        let node: HierarchyNode = nested(&place, raw, || element_must_be(name, at, allowed, raw))?;
        let level = node.level_id.text(&format!("{name}[{at}].levelId"))?;
        let Some(level) = level else { return Err(ApiError::mandatory(&format!("{name}[{at}].levelId"))) };
        let names = node.level_names.texts(&format!("{name}[{at}].levelNames"))?;
        Ok(LevelFilter {
            level: level.into_owned(),
            names: names.into_iter().map(std::borrow::Cow::into_owned).collect(),
        })
    };
    field.list(name, allowed)?.enumerate().map(read).collect()
}

/// Checks that `startDate` is not after `endDate`.
///
/// # Errors
/// 2003 where it is.
pub(crate) fn ordered(in_order: bool) -> Result<(), ApiError> {
    if in_order { Ok(()) } else { Err(ApiError::validation("startDate must be on or before endDate", "")) }
}
