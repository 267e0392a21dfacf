#!/usr/bin/env bash
# The nightly sync with curl and jq: stores a contact, reads reviews, questions and scores, and subscribes an endpoint.
# It exits with 0 when all of it is done, else with 1 and one line that says why.
set -euo pipefail

readonly CONNECT_SECONDS=5
readonly CALL_SECONDS=10 # for one attempt, with the last byte of its answer
readonly ATTEMPTS=3
readonly LONGEST_WAIT=60 # A service that asks for more seconds has to wait for the next night.
readonly REVIEWS_A_PAGE=500
readonly POINTS_A_PAGE=100
readonly QUESTIONS_A_PAGE=25
readonly WINDOW=100000 # The API lists no record beyond this one.
# Where events are to be sent. This client has no receiver; those in Python and TypeScript have one.
readonly ENDPOINT=https://hooks.example.test/nightly-sync

fail() {
  echo "nightly sync failed: $*" >&2
  exit 1
}

for name in STANDIN_BASE_URL STANDIN_API_KEY STANDIN_BUSINESS_NUMBER; do
  [[ -n ${!name:-} ]] || fail "$name is not set"
done
readonly BASE_URL=${STANDIN_BASE_URL%/} BUSINESS=$STANDIN_BUSINESS_NUMBER
[[ $BUSINESS =~ ^[0-9]+$ ]] || fail "STANDIN_BUSINESS_NUMBER is not a number"
# The scores are read in the name of a user of the account. This one belongs to the scenario `demo`.
readonly USER_EMAIL=${STANDIN_USER_EMAIL:-owner@brightdental.test}

work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT

# The key stands in a file that only this user can read: everybody can read the arguments of a command.
(umask 077 && printf 'x-api-key: %s\nx-business-number: %s\ncontent-type: application/json\n' "$STANDIN_API_KEY" "$BUSINESS" >"$work/headers")

# Waits for at least $1 milliseconds, and for up to $2 more by chance.
pause() {
  local ms=$(($1 + RANDOM % $2))
  sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
}

# call WHAT once|repeatable PATH BODY: leaves the answer in $work/answer.
# curl neither retries nor follows redirects unless it is told to, and each curl opens a connection of its own.
call() {
  local what=$1 repeatable=$2 path=$3 body=$4 attempt status code problem answered first asked
  printf '%s' "$body" >"$work/body" # A file for the same reason as above: the subscription's body has the key.
  for ((attempt = 1; ; attempt++)); do
    answered=yes first=200 asked=
    rm -f "$work/answer"
    if ! status=$(curl --silent --connect-timeout "$CONNECT_SECONDS" --max-time "$CALL_SECONDS" \
      --header "@$work/headers" --data-binary "@$work/body" \
      --dump-header "$work/answer-headers" --output "$work/answer" --write-out '%{http_code}' "$BASE_URL$path"); then
      # Also if the body is shorter than its content-length.
      answered=no problem="no answer, or only a part of it"
    elif [[ $status == 200 ]]; then
      jq -e . "$work/answer" >/dev/null 2>&1 && return
      answered=no problem="the answer is not JSON"
    else
      code=$(jq -r '.code // empty' "$work/answer" 2>/dev/null) || code= # The answer of a gateway is text.
      problem="HTTP $status"
      [[ -z $code ]] || problem="$code $(jq -r .message "$work/answer") (HTTP $status)"
      # A 429 alone says little: 1027 is one as well, and no repetition makes a wrong number right.
      if [[ $code == 89 || ($status == 429 && -z $code) ]]; then
        first=600
      elif ((status < 500)); then
        fail "$what: $problem"
      fi
      # This API sends seconds. A date, which HTTP also allows, counts as no hint.
      asked=$(tr -d '\r' <"$work/answer-headers" | sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]\{1,9\}\)$/\1/p')
    fi
    # A subscription whose answer is lost may exist, and every call makes another one.
    [[ $answered == yes || $repeatable == repeatable ]] || fail "$what: $problem; it may have taken effect, so it is not sent again"
    ((${asked:-0} <= LONGEST_WAIT)) || fail "$what: $problem, and the API asks to wait for $asked s"
    ((attempt < ATTEMPTS)) || fail "$what: gave up after $ATTEMPTS tries: $problem"
    if [[ -n $asked ]]; then
      pause "$((asked * 1000 + 50))" 200 # A little later than asked, so that not all clients come back at once.
    else
      pause "$((first << (attempt - 1)))" "$((first << (attempt - 1)))" # Twice as long each time.
    fi
  done
}

# answer WHAT FILTER: a value from the last answer. Members that the filter does not name are ignored.
answer() {
  jq -er "$2" "$work/answer" 2>/dev/null || fail "$1: the answer has an unexpected shape"
}

# records WHAT FILTER: values from the last answer, perhaps none, which are added as lines to $work/WHAT.
records() {
  jq -r "$2" "$work/answer" 2>/dev/null >>"$work/$1" || fail "$1: the answer has an unexpected shape"
}

# pages WHAT MEMBER ID PATH BODY: reads all pages of a list that tells its total, into $work/WHAT. ID is the member that
# each record must have. START in PATH and BODY is replaced by the number of records that were read so far.
pages() {
  local what=$1 start=0 total count
  : >"$work/$what"
  while :; do
    call "$what" repeatable "${4//START/$start}" "${5//START/$start}"
    total=$(answer "$what" '.totalCount | numbers')
    count=$(answer "$what" ".$2 | arrays | length")
    records "$what" ".$2[] | if .$3 then tojson else error end"
    start=$((start + count))
    ((start < total)) || return 0
    ((count > 0)) || fail "$what: the list ended at $start, but its total is $total"
  done
}

# The list of reviews has no total: a page that is not full is the last one.
reviews() {
  local start=0 count=$REVIEWS_A_PAGE
  : >"$work/reviews"
  while ((count == REVIEWS_A_PAGE)); do
    ((start + REVIEWS_A_PAGE <= WINDOW)) || fail "reviews: there are more than $WINDOW; narrow the list by dates or locations"
    call reviews repeatable "/v1/review/businessId/$BUSINESS?sindex=$start&count=$REVIEWS_A_PAGE" '{}'
    count=$(answer reviews 'arrays | length')
    records reviews '.[] | .reviewId // error'
    start=$((start + count))
  done
}

# Seconds since 1970 as MM/DD/YYYY in UTC.
date_of() {
  jq -nr --argjson at "$1" '$at | strftime("%m/%d/%Y")'
}

today=$(date +%s)
dates=$(jq -nc --argjson n "$BUSINESS" --arg from "$(date_of $((today - 90 * 86400)))" --arg to "$(date_of "$today")" \
  '{businessNumbers: [$n], startDate: $from, endDate: $to}')

# With an externalId, a repeated upsert finds the contact of the first one. So it is safe to repeat.
call contact repeatable /v1/contact/external/preferences/saveCustomer "$(jq -nc --argjson n "$BUSINESS" \
  '{externalId: "nightly-sync-1", firstName: "Nora", lastName: "Night", email: "nora.night@mail.test", businessIds: [$n]}')"
id=$(answer contact .id)
echo "contact $id"

reviews
# By id, because a review that arrives while we read moves the others to later pages.
echo "$(sort -u "$work/reviews" | wc -l) reviews"

pages questions questionsAndAnswers questionId "/v1/qna/unanswered/get?businessId=$BUSINESS" "{\"startIndex\": START, \"pageSize\": $QUESTIONS_A_PAGE}"
echo "$(jq .questionId "$work/questions" | sort -u | wc -l) unanswered questions"

pages locations dataPoints id "/v1/insight/sentiment/locationInfo?start-index=START&page-size=$POINTS_A_PAGE" \
  "$(jq -c --arg user "$USER_EMAIL" '. + {userEmail: $user}' <<<"$dates")"
jq -rs '"\(length) locations, \(map(.mentions) | add // 0) mentions in 90 days"' "$work/locations"

call benchmark repeatable /v1/insight/sentiment/scoreBenchmark "$dates"
answer benchmark '.actual | "score \(.score | numbers) industry \(.industryScore | numbers)"'

call subscription once /v1/messenger/subscribe/webhook/event "$(jq -nc --arg n "$BUSINESS" --arg endpoint "$ENDPOINT" \
  '{businessNumber: $n, apiKey: env.STANDIN_API_KEY, endpoint: $endpoint,
    events: ["conversation.created", "conversation.updated", "message.added", "conversation.closed"]}')"
id=$(answer subscription .subscriptionId)
echo "subscription $id"
