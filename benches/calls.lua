-- The calls that wrk sends: 8,100 different ones in turn, as those of clients differ. A score benchmark asks for another range of days each time, and a
-- page of reviews starts at another index. With EQUAL=1 all calls are the first one.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["X-Api-Key"] = "bench-key"
wrk.headers["X-Business-Number"] = "100"

local lengths = {31, 28, 31, 30, 31, 30}
local function day(number) -- of the year
    local month = 1
    while number > lengths[month] do
        number = number - lengths[month]
        month = month + 1
    end
    return string.format("%02d/%02d/2026", month, number)
end

local requests, at = {}, 0
function init()
    for number = 0, os.getenv("EQUAL") == "1" and 0 or 8099 do
        local path, first, last = wrk.path, day(1 + number % 90), day(91 + math.floor(number / 90))
        if path:find("/review/") then
            path = string.format("%s?sindex=%d&count=25", path, number * 7 % 900)
            first, last = day(1), day(181)
        end
        local body = string.format('{"businessNumbers":[1,2],"startDate":"%s","endDate":"%s"}', first, last)
        requests[number + 1] = wrk.format(nil, path, nil, body)
    end
end

function request()
    at = at % #requests + 1
    return requests[at]
end

function done(summary, latency)
    local errors = summary.errors
    local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    io.write(string.format("DONE %d %d %d %d\n", summary.requests, summary.duration, failed, latency:percentile(99)))
end
