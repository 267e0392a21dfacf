//! Calls of all operations with any paths, queries, headers and bodies: none makes an operation panic, or answer with an error
//! of its own.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::api::call::{Body, Call};
use crate::fuzz::check_reply;
use crate::operations;
use crate::operations::spec::Spec;
use crate::tests::harness::cases;
use crate::tests::properties::{answer, registry};

/// JSON values of every kind, including the usual edge cases.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0_u64..14).prop_map(Value::from),
        proptest::sample::select(vec![
            "",
            " ",
            "1",
            "11",
            "01/01/2026",
            "12/31/9999",
            "1/1/0000",
            "02/29/2024",
            "all",
            "parked",
            "google",
            "true",
            "k",
            "E",
            "a@b.test",
            "@",
            "ß",
            "\u{0}",
            "\"",
            "\\",
            "message.closed",
            "http://h.test",
            "http://",
            "Region",
            "North",
            "text",
            "date",
            "99999999999999999999",
            "+12125550100",
            "MX",
            "١",
        ])
        .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((fields(), inner), 0..4).prop_map(|members| Value::Object(
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            )),
        ]
    })
}

fn fields() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "businessNumbers",
        "startDate",
        "endDate",
        "userEmail",
        "reviewSources",
        "ratings",
        "hierarchyNodeData",
        "levelId",
        "levelNames",
        "groupByLevel",
        "id",
        "firstName",
        "email",
        "phone",
        "countryCode",
        "smsOptin",
        "businessIds",
        "tags",
        "customFields",
        "fieldName",
        "type",
        "fieldValue",
        "externalId",
        "emailPreferences",
        "smsPreferences",
        "marketingOptin",
        "fromDate",
        "toDate",
        "updateFromDate",
        "updateToDate",
        "sources",
        "searchStr",
        "subBusinessIds",
        "statuses",
        "startIndex",
        "pageSize",
        "businessNumber",
        "apiKey",
        "events",
        "endpoint",
        "x",
    ])
}

/// A body that passes many checks: the valid one of each operation with some members replaced.
fn bodies(operation: &str) -> impl Strategy<Value = Vec<u8>> {
    let good = match operation {
        "sentiment-locations" | "sentiment-benchmark" => {
            json!({"businessNumbers": [1], "startDate": "1/1/2026", "endDate": "1/2/2026", "userEmail": "a@b.test"})
        }
        "contact" => json!({"email": "a@b.test", "businessIds": [11]}),
        "reviews" | "qna" => json!({}),
        _ => {
            json!({"businessNumber": 1, "apiKey": "k", "events": ["message.added"], "endpoint": "http://h.test"})
        }
    };
    let changed = proptest::collection::vec((fields(), values()), 0..4).prop_map(move |changes| {
        let mut body = good.clone();
        for (name, value) in changes {
            body[name] = value;
        }
        body.to_string().into_bytes()
    });
    let changed = changed.boxed();
    prop_oneof![
        6 => changed.clone(),
        1 => values().prop_map(|value| value.to_string().into_bytes()),
        1 => proptest::collection::vec(any::<u8>(), 0..60),
        1 => (changed, any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut body, at, byte)| {
            let at = at.index(body.len());
            body[at] = byte;
            body
        }),
    ]
}

fn queries() -> impl Strategy<Value = String> {
    let name = proptest::sample::select(vec![
        "start-index",
        "page-size",
        "sort-by",
        "sort-order",
        "sindex",
        "count",
        "isCompetitor",
        "businessId",
        "api_key",
        "%73index",
        "x",
    ]);
    let value = prop_oneof![
        proptest::sample::select(vec![
            "0",
            "1",
            "11",
            "100000",
            "99999",
            "-1",
            "18446744073709551615",
            "99999999999999999999",
            "true",
            "name",
            "sentiment-score",
            "%",
            "%4",
            "%zz",
            "%ff",
            "+",
            "%00",
        ])
        .prop_map(str::to_owned),
        "[!-~]{0,6}",
    ];
    proptest::collection::vec((name, value), 0..5).prop_map(|pairs| {
        pairs.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
    })
}

fn headers() -> impl Strategy<Value = Vec<(&'static str, Vec<u8>)>> {
    let name = proptest::sample::select(vec![
        "x-api-key",
        "x-business-number",
        "content-type",
        "content-encoding",
        "origin",
        "prefer",
        "access-control-request-method",
        "access-control-request-headers",
        "accept",
    ]);
    let value = prop_oneof![
        proptest::sample::select(vec![
            "k",
            "own",
            "1",
            "2",
            "11",
            "",
            "application/json",
            "a/b+json",
            "gzip"
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..8),
    ];
    (any::<bool>(), proptest::collection::vec((name, value), 0..4)).prop_map(|(settled, mut headers)| {
        if settled {
            headers.retain(|(name, _)| !name.starts_with("x-") && !name.starts_with("content-"));
            headers.push(("x-api-key", b"k".to_vec()));
            headers.push(("x-business-number", b"1".to_vec()));
        }
        headers
    })
}

fn paths(operation: &Spec) -> impl Strategy<Value = String> {
    let path = operation.path;
    let filled = proptest::sample::select(vec!["1", "11", "2", "%31", "%ff", "x", "99999999999999999999"])
        .prop_map(move |id| path.replace("{CompetitorEnterpriseBusinessId}", id));
    prop_oneof![
        8 => filled.clone(),
        1 => filled.prop_map(|path| format!("/w/aside/resources{path}/")),
        1 => "/[a-z%/0-9]{0,12}",
        1 => "/w/[a-z%/0-9]{0,12}",
    ]
}

prop_compose! {
    pub(super) fn calls()(operation in proptest::sample::select(operations::ALL.to_vec()))(
        path in paths(operation),
        method in prop_oneof![9 => Just("POST"), 1 => proptest::sample::select(vec!["GET", "OPTIONS", "X"])],
        query in queries(),
        headers in headers(),
        body in bodies(operation.operation.name()),
        large in proptest::bool::weighted(0.02),
    ) -> (String, &'static str, String, Vec<(&'static str, Vec<u8>)>, Vec<u8>, bool) {
        (path, method, query, headers, body, large)
    }
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn no_bytes_make_an_operation_panic((path, method, query, headers, body, large) in calls()) {
        let headers = headers.iter().map(|(name, value)| (*name, value.as_slice())).collect();
        let body = if large { Body::TooLarge } else { Body::Whole(&body) };
        let reply = answer(registry(), Call { method, path: &path, query: &query, headers, body, connection: 0 });
        check_reply(&reply);
    }
}
