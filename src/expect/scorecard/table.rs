//! The rules of the scorecard. The report and `docs/scorecard.md` say what stands here.

use std::time::Duration;

use crate::expect::scorecard::judged::{Evidence, Judged};
use crate::expect::scorecard::settings::Limit;
use crate::expect::scorecard::{hooks, key, paging, reading, repeating, spread, waiting, writing};

/// A rule.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "docs/scorecard.md is written from it"))]
    /// When a client passes, when it is warned and when it fails. Empty where it never does.
    pub(crate) verdicts: [&'static str; 3],
    /// What a scenario can set.
    pub(crate) thresholds: &'static [Threshold],
    #[cfg_attr(not(test), expect(dead_code, reason = "docs/scorecard.md is written from it"))]
    /// Why the thresholds are what they are.
    pub(crate) why: &'static str,
    /// What to do about it.
    pub(crate) mend: &'static str,
    pub(crate) source: &'static str,
    /// Name of a ready-made scenario that exercises it.
    pub(crate) exercise: &'static str,
    pub(crate) judge: fn(&Evidence<'_>) -> Judged,
}

/// A threshold of a rule.
#[derive(Debug)]
pub(crate) struct Threshold {
    pub(crate) name: &'static str,
    pub(crate) default: Limit,
    pub(crate) what: &'static str,
}

impl Rule {
    /// Whether it judges how the client receives webhooks.
    pub(crate) fn is_about_hooks(&self) -> bool {
        self.id.starts_with("hook-")
    }
}

/// The rule of that id.
pub(crate) fn rule(id: &str) -> Option<&'static Rule> {
    TABLE.iter().find(|rule| rule.id == id)
}

/// A rule whose warnings are told, and never fail a run.
pub(crate) const TOLD: &str = "same-read";

const fn millis(name: &'static str, millis: u64, what: &'static str) -> Threshold {
    Threshold { name, default: Limit::Time(Duration::from_millis(millis)), what }
}

const fn count(name: &'static str, count: u64, what: &'static str) -> Threshold {
    Threshold { name, default: Limit::Count(count), what }
}

const fn percent(name: &'static str, percent: u32, what: &'static str) -> Threshold {
    Threshold { name, default: Limit::Share(percent * 10_000), what }
}

const fn factor(name: &'static str, thousandths: u32, what: &'static str) -> Threshold {
    Threshold { name, default: Limit::Factor(thousandths), what }
}

pub(crate) static TABLE: [Rule; 21] = [
    Rule {
        id: "retry-after",
        title: "Waits as long as Retry-After asks",
        verdicts: [
            "the next call of the request comes after the time asked, by world or real time; after the real rate limit of a key, the next call of that key",
            "it comes more than 3 times that and 10 s later",
            "it comes sooner",
        ],
        thresholds: &[
            factor("late-factor", 3000, "with `late`: a call is late after so many times the time asked"),
            millis("late", 10_000, "and this time more"),
        ],
        why: "The server knows when it can answer again, and the client does not. A call that comes much later has kept somebody waiting for nothing, which is no harm to the server.",
        mend: "Read Retry-After and wait at least that long, plus a little at random, before any call with that key.",
        source: "RFC 9110 10.2.3, RFC 6585 4",
        exercise: "rate-limited",
        judge: waiting::retry_after,
    },
    Rule {
        id: "backs-off",
        title: "Waits before a retry without a hint",
        verdicts: [
            "the median wait is at least 50 ms after a 5xx or a broken connection, and 500 ms after a 429; the first wait of a chain does not count where later ones grow",
            "it is shorter",
            "it is below 10 ms, over two waits or more of a chain",
        ],
        thresholds: &[
            millis("after-error", 50, "median wait after a 5xx or a broken connection"),
            millis("after-429", 500, "median wait after a 429"),
            millis("fail", 10, "a shorter median fails; here there is no tolerance"),
        ],
        why: "The first waits of the AWS SDKs are 50 ms after an error and 500 ms when throttled, at random below that. A median judges what a client does as a rule, and lets a single short wait pass. Some libraries (urllib3) repeat once at once and wait from then on, so that one immediate retry of a chain warns at most.",
        mend: "Wait before each retry: for example 100 ms, then twice as long each time, each time a random part of it.",
        source: "AWS SDK defaults",
        exercise: "first-try-fails",
        judge: waiting::backs_off,
    },
    Rule {
        id: "grows",
        title: "Waits longer each time",
        verdicts: [
            "over all such chains the median of the last waits is at least 1.2 times the median of the first",
            "",
            "it is less",
        ],
        thresholds: &[
            count("chains", 8, "judged from so many chains on"),
            count("attempts", 4, "that have so many attempts or more, none of them with Retry-After"),
            factor("factor", 1200, "how many times the first median the last one is at least"),
        ],
        why: "With full jitter a single wait may well be shorter than the one before, so that only medians over many chains are compared. Eight chains with two doublings are told apart from constant waits in more than 99 of 100 runs.",
        mend: "Multiply the wait with each retry, for example by 2, up to a maximum.",
        source: "AWS Builders' Library, Timeouts, retries and backoff with jitter",
        exercise: "down",
        judge: spread::grows,
    },
    Rule {
        id: "jitter",
        title: "Retries do not come all at once",
        verdicts: ["else", "90% of the first retries come within some 20 ms", ""],
        thresholds: &[
            count("chains", 8, "judged from so many chains on"),
            millis(
                "struck",
                200,
                "that failed within this time, and before the first of them was sent again",
            ),
            percent("share", 90, "so many of their first retries"),
            millis("within", 20, "come within this time"),
        ],
        why: "Clients that fail together and wait equally long come back together, and what was too much once is too much again.",
        mend: "Wait a random part of the time between 0 and the maximum of this retry (full jitter).",
        source: "AWS Builders' Library, Timeouts, retries and backoff with jitter",
        exercise: "down",
        judge: spread::jitter,
    },
    Rule {
        id: "attempts",
        title: "Gives up after a few attempts",
        verdicts: ["at most 3 of a chain", "4 or 5", "more than 5"],
        thresholds: &[
            count("warn", 3, "more attempts than this warn"),
            count("fail", 5, "more attempts than this fail"),
        ],
        why: "A request that failed three times will most likely fail again. Each further attempt is load on a service that is in trouble.",
        mend: "Limit the attempts to 3, and report the failure to whoever waits for it.",
        source: "Google SRE book, Addressing Cascading Failures",
        exercise: "down",
        judge: repeating::attempts,
    },
    Rule {
        id: "retry-budget",
        title: "Retries are a small part of all calls",
        verdicts: ["at most 20% of the first tries", "at most 100%", "more than 100%"],
        thresholds: &[
            count("tries", 20, "judged from so many first tries on"),
            percent("warn", 20, "more retries than this warn"),
            percent("fail", 100, "more retries than this fail"),
        ],
        why: "When everything fails, three attempts of each request are three times the load. A budget over all requests stops that. Finagle's default is 20%, the SRE book has 10%.",
        mend: "Count retries over all requests, and stop to retry when they are more than a fifth of them.",
        source: "Google SRE book, Handling Overload; Finagle, RetryBudget",
        exercise: "flaky",
        judge: repeating::retry_budget,
    },
    Rule {
        id: "no-retry-on-refusal",
        title: "Does not repeat what was refused",
        verdicts: ["no call is repeated after a 4xx but 408, 425 and 429", "", "one is"],
        thresholds: &[],
        why: "The request itself is wrong, and it is the same the second time.",
        mend: "Retry only after 408, 425, 429, 5xx and broken connections.",
        source: "RFC 9110 15.5",
        exercise: "bad-key",
        judge: repeating::no_retry_on_refusal,
    },
    Rule {
        id: "no-retry-on-1027",
        title: "Reads the code of a 429",
        verdicts: ["a 1027 is not repeated", "once in a chain", "more often"],
        thresholds: &[],
        why: "1027, Invalid business number., has status 429, but it is no rate limit. A library that looks at the status alone repeats it; once is forgiven.",
        mend: "Look at the code in the body of a 429: 89 is the rate limit, 1027 is a wrong number.",
        source: "The API's document, Errors of the insight operations",
        exercise: "invalid-number",
        judge: repeating::no_retry_on_1027,
    },
    Rule {
        id: "lost-contact",
        title: "Stores a contact once though the answer was lost",
        verdicts: ["one is stored", "", "a later upsert, alike but for its identifiers, made another"],
        thresholds: &[],
        why: "A reset does not tell whether the call took effect. The upsert finds the contact again by externalId, email or phone, so that repeating it with the same ones is safe.",
        mend: "Choose the identifiers once, before the first try, and repeat the call with the same ones.",
        source: "RFC 9110 9.2.2",
        exercise: "lost-answers",
        judge: writing::lost_contact,
    },
    Rule {
        id: "lost-subscription",
        title: "Does not subscribe twice though the answer was lost",
        verdicts: ["it is not repeated blindly", "", "two subscriptions are alike"],
        thresholds: &[],
        why: "Each call to subscribe makes a new subscription, and every event is then delivered once for each. A repetition by the HTTP stack is not judged.",
        mend: "Do not repeat a subscription whose answer was lost: its events tell that it exists.",
        source: "RFC 9110 9.2.2",
        exercise: "lost-answers",
        judge: writing::lost_subscription,
    },
    Rule {
        id: "gives-up-waiting",
        title: "Hangs up when no answer comes",
        verdicts: ["after 1 s to 30 s", "sooner, or within 60 s", "never"],
        thresholds: &[
            millis("min", 1000, "hanging up sooner warns"),
            millis("max", 30_000, "hanging up later warns"),
            millis("fail", 60_000, "waiting longer fails"),
        ],
        why: "A client without a time limit waits for ever, with whatever it holds. One below a second gives up on slow answers that would have come. A stall that ends by itself before the last threshold tells nothing of a client that was still waiting.",
        mend: "Set a time limit for the whole call, for example 10 s.",
        source: "AWS Builders' Library, Timeouts, retries and backoff with jitter",
        exercise: "silent",
        judge: reading::gives_up_waiting,
    },
    Rule {
        id: "notices-broken-body",
        title: "Notices an answer that is not whole",
        verdicts: ["it is read again, or the command fails", "", "neither, and the command ends with 0"],
        thresholds: &[],
        why: "Half a list that is taken for a whole one is lost data that nobody misses.",
        mend: "Compare the length with content-length, parse the whole body before you use it, and treat a failure as no answer.",
        source: "RFC 9112 8",
        exercise: "broken-answers",
        judge: reading::notices_broken_body,
    },
    Rule {
        id: "pages-whole",
        title: "Reads a list in pages without a hole",
        verdicts: [
            "from 0 on without a hole, also after a fault, with at most one call behind the end",
            "pages overlap",
            "a record below the highest that was read is missing, or the last call was struck and the command ends with 0",
        ],
        thresholds: &[],
        why: "It judges two calls or more that differ in the start alone, of reviews, questions and locations. The start of the next page follows from how many records came, and a page that failed is not an empty one.",
        mend: "Begin at 0, add the number of records received, repeat a page that failed, and end at an empty or short page or at totalCount.",
        source: "The API's document, Limits",
        exercise: "first-try-fails",
        judge: paging::pages_whole,
    },
    Rule {
        id: "own-pace",
        title: "Keeps below the rate limit of its key",
        verdicts: [
            "at most one call is refused in a window, or one of each connection",
            "at most 10% of the calls of the key",
            "more",
        ],
        thresholds: &[
            count("refused", 1, "refused calls of a window, or of a connection and window"),
            percent("warn", 10, "more refused calls of a key than this fail"),
        ],
        why: "The first refusal tells how long the window is. Whoever runs into it in each window again has not learned from it.",
        mend: "After a refusal hold back all calls of the key until Retry-After is over, and spread them from then on.",
        source: "RFC 6585 4",
        exercise: "tight-limit",
        judge: key::own_pace,
    },
    Rule {
        id: "key-in-header",
        title: "Sends the key in the header",
        verdicts: ["no key is in a query", "", "a key is in a query"],
        thresholds: &[],
        why: "Addresses stand in logs, proxies and histories.",
        mend: "Send the key in the header x-api-key, and nowhere else.",
        source: "The API's document, Authentication",
        exercise: "demo",
        judge: key::key_in_header,
    },
    Rule {
        id: "same-read",
        title: "Does not read the same again at once",
        verdicts: ["else", "the same read is answered twice within 5 s; told only, and never a failure", ""],
        thresholds: &[millis("within", 5000, "two answers within this time")],
        why: "A second read of the same usually is two components that do not know of each other. Tests do it on purpose, so that it is no failure even where warnings are.",
        mend: "Keep the answer for a few seconds, or let the callers share it.",
        source: "RFC 9111",
        exercise: "demo",
        judge: reading::same_read,
    },
    Rule {
        id: "hook-acknowledged",
        title: "Acknowledges webhooks at once",
        verdicts: ["95 of 100 within 1 s", "within 15 s", "later"],
        thresholds: &[
            millis("warn", 1000, "a later 95th percentile warns"),
            millis("fail", 15_000, "a later 95th percentile fails"),
        ],
        why: "Senders wait for 15 s or so, and then deliver again. An answer that did not come in time counts as long as it was awaited.",
        mend: "Store the delivery, answer 2xx, and do the work afterwards.",
        source: "Standard Webhooks, Deliverability",
        exercise: "live-conversation",
        judge: hooks::hook_acknowledged,
    },
    Rule {
        id: "hook-signature",
        title: "Refuses webhooks with a wrong signature",
        verdicts: [
            "a delivery with a wrong signature, or a timestamp older than 5 min, is answered 4xx",
            "5xx",
            "2xx",
        ],
        thresholds: &[millis("age", 300_000, "an older timestamp is too old")],
        why: "Anybody can send to an endpoint. The limit of five minutes is that of the libraries of Standard Webhooks.",
        mend: "Verify the signature over the raw body with a library, and answer 401 if it fails.",
        source: "Standard Webhooks, Verifying webhook authenticity",
        exercise: "webhook-faults",
        judge: hooks::hook_signature,
    },
    Rule {
        id: "hook-twice",
        title: "Takes the same webhook once",
        verdicts: ["both are answered 2xx, and the calls that it causes are not doubled", "", "else"],
        thresholds: &[millis("within", 5000, "calls so soon after the second count as caused by it")],
        why: "Delivery is at least once. A call counts as doubled if it was never made before and is made more often than the deliveries of that time explain; other deliveries do not explain a call with the id of the event in its body or query.",
        mend: "Keep the ids of the deliveries that are done, and answer 2xx to one of them without doing it again.",
        source: "Standard Webhooks, Idempotency",
        exercise: "webhook-faults",
        judge: hooks::hook_twice,
    },
    Rule {
        id: "hook-out-of-order",
        title: "Takes webhooks in any order",
        verdicts: ["a delivery that comes out of order is answered 2xx", "4xx", "5xx"],
        thresholds: &[],
        why: "A retry overtakes nothing, but is overtaken. A receiver that fails on the second before the first gets both again and again.",
        mend: "Accept what refers to something that you do not know yet, and put it in order by occurredAt.",
        source: "Standard Webhooks, Ordering",
        exercise: "webhook-faults",
        judge: hooks::hook_out_of_order,
    },
    Rule {
        id: "hook-unknown-event",
        title: "Takes webhooks of unknown events",
        verdicts: ["an event that nobody subscribed to is answered 2xx", "4xx", "5xx"],
        thresholds: &[],
        why: "Senders add events. A receiver that fails on a new one is delivered it again until it is dead, or until its endpoint is disabled.",
        mend: "Answer 2xx to an event that you do not know, and ignore it.",
        source: "Standard Webhooks, Event types",
        exercise: "webhook-faults",
        judge: hooks::hook_unknown_event,
    },
];
