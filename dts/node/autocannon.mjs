// SPDX-License-Identifier: BSD-3-Clause
//
// autocannon.mjs URL TYPE REQUEST ANSWER: fifty connections with ten requests under way on each, and
// every body compared; with a call of /rpc and its answer, both of them text.

import autocannon from 'autocannon';
import { runCases } from './cases.mjs';

const NB_REQUESTS = 5000;
const BODY = 'a line of the body that comes back\n'.repeat(20);

const [url, type, body, expectBody] = process.argv.slice(2);

async function fire(options) {
	const result = await autocannon({
		connections: 50, pipelining: 10, amount: NB_REQUESTS, timeout: 10, ...options,
	});
	const { errors, timeouts, mismatches, non2xx, resets } = result;
	return { errors, timeouts, mismatches, non2xx, resets, right: result['2xx'] };
}

await runCases({
	get: () => fire({ url: `${url}/health`, expectBody: 'ok' }),
	post: () => fire({ url: `${url}/echo`, method: 'POST', body: BODY, expectBody: BODY }),
	rpc: () => fire({
		url: `${url}/rpc`, method: 'POST', headers: { 'content-type': type }, body, expectBody,
	}),
});
