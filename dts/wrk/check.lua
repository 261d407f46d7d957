-- SPDX-License-Identifier: BSD-3-Clause
--
-- wrk -s check.lua URL -- NB_PIPELINED [BODY_LEN]: GET, or POST of a body that comes back, so many
-- requests at a time. Every answer is looked at; the last line counts those that are right, those
-- that are wrong, and the errors of connections.

local threads = {}

function setup(thread)
	table.insert(threads, thread)
end

function init(args)
	local one = wrk.format("GET")
	nb_right, nb_wrong, expected = 0, 0, "ok"
	if args[2] then
		local line = "a line of the body that comes back\n"
		expected = line:rep(tonumber(args[2]) / #line + 1):sub(1, tonumber(args[2]))
		one = wrk.format("POST", nil, nil, expected)
	end
	requests = one:rep(tonumber(args[1]))
end

function request()
	return requests
end

function response(status, headers, body)
	if status == 200 and body == expected then
		nb_right = nb_right + 1
	else
		nb_wrong = nb_wrong + 1
	end
end

function done(summary)
	local right, wrong = 0, 0
	for _, thread in ipairs(threads) do
		right = right + thread:get("nb_right")
		wrong = wrong + thread:get("nb_wrong")
	end
	local e = summary.errors
	local errors = e.connect + e.read + e.write + e.status + e.timeout
	io.write(string.format("right %d, wrong %d, errors %d\n", right, wrong, errors))
end
