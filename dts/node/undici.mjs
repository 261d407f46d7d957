// SPDX-License-Identifier: BSD-3-Clause
//
// undici.mjs URL CALLS: pools, pipelines and bodies both ways with undici, and with the client that
// Node itself has. Every body is compared. CALLS is JSON, a list of calls for /rpc: type, and in
// hexadecimal request and answer.

import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { Readable } from 'node:stream';
import { Client, Pool, fetch, request } from 'undici';
import { runCases } from './cases.mjs';

const NB_REQUESTS = 2000;
const LARGE_LEN = (1 << 20) + 1;

const [url, calls] = process.argv.slice(2);

function check(is, what) {
	if (!is)
		throw new Error(what);
}

async function whole(stream) {
	const parts = [];
	for await (const part of stream)
		parts.push(part);
	return Buffer.concat(parts);
}

async function withPool(options, run) {
	const pool = new Pool(url, options);
	try {
		return await run(pool);
	} finally {
		await pool.close();
	}
}

async function ask(dispatcher, path, method = 'GET', body = null, headers = {}) {
	const reply = await dispatcher.request({ path, method, body, headers, blocking: false });
	return { status: reply.statusCode, headers: reply.headers, body: await whole(reply.body) };
}

// GET over ten connections with ten requests under way on each.
const pipelined = () => withPool({ connections: 10, pipelining: 10 }, async (pool) => {
	const replies = await Promise.all([...Array(NB_REQUESTS)].map(() => ask(pool, '/health')));
	for (const reply of replies)
		check(reply.status === 200 && reply.body.toString() === 'ok', `${reply.status}`);
	return replies.length;
});

// POST is not pipelined unless a program says that it may be sent twice.
const echoes = () => withPool({ connections: 10, pipelining: 10 }, async (pool) => {
	const bodies = [...Array(NB_REQUESTS)].map((_, i) => randomBytes(i % 3000));
	const replies = await Promise.all(bodies.map((body) =>
		pool.request({ path: '/echo', method: 'POST', body, idempotent: true })
			.then((reply) => whole(reply.body))));
	replies.forEach((body, i) => check(body.equals(bodies[i]), `body ${i}`));
	return replies.length;
});

// A body whose length is not known is sent in chunks.
const chunked = () => withPool({ connections: 4 }, async (pool) => {
	const bodies = [...Array(20)].map((_, i) => randomBytes(1 + i * 5000));
	const pieces = (body) => Readable.from((function* () {
		for (let at = 0; at < body.length; at += 1000)
			yield body.subarray(at, at + 1000);
	})());
	const replies = await Promise.all(bodies.map((body) =>
		ask(pool, '/echo', 'POST', pieces(body))));
	replies.forEach((reply, i) => check(reply.body.equals(bodies[i]), `body ${i}`));
	return replies.length;
});

const large = () => withPool({ connections: 2 }, async (pool) => {
	const bodies = [randomBytes(LARGE_LEN), randomBytes(LARGE_LEN), randomBytes(LARGE_LEN)];
	const replies = await Promise.all(bodies.map((body) => ask(pool, '/echo', 'POST', body)));
	replies.forEach((reply, i) => check(reply.body.equals(bodies[i]), `body ${i}`));
	return replies.length;
});

const expect = () => withPool({ connections: 1 }, async (pool) => {
	const body = randomBytes(5000);
	// undici leaves Expect to others, Node's own client knows it.
	const got = await new Promise((resolve, reject) => {
		const req = http.request(`${url}/echo`, {
			method: 'POST',
			headers: { Expect: '100-continue', 'Content-Length': body.length },
		});
		let said = 0;
		req.on('continue', () => {
			said++;
			req.end(body);
		});
		req.on('response', (res) => whole(res).then((all) => resolve([said, all]), reject));
		req.on('error', reject);
		req.flushHeaders();
	});
	check(got[1].equals(body), 'another body');
	return [got[0], (await ask(pool, '/health')).status];
});

// One connection serves all, errors among them.
async function statuses() {
	const client = new Client(url, { pipelining: 1 });
	let nbConnects = 0;
	client.on('connect', () => nbConnects++);
	const got = [];
	for (const [method, path] of [
		['GET', '/health'], ['HEAD', '/health'], ['GET', '/none'], ['DELETE', '/health'],
		['GET', '/echo'], ['POST', '/echo'], ['OPTIONS', '/none'], ['GET', '/health?a=b'],
	])
		got.push((await ask(client, path, method)).status);
	await client.close();
	return [got, nbConnects];
}

// PUT, GET and DELETE of keys, all of them pipelined.
const keys = () => withPool({ connections: 5, pipelining: 10 }, async (pool) => {
	const bodies = [...Array(200)].map((_, i) => randomBytes(i * 7));
	const each = (method, of = () => null) => Promise.all(bodies.map(async (_, i) => {
		const path = `/v1/kv/undici-${i}`;
		const reply = await pool.request({ path, method, body: of(i), idempotent: true });
		return [reply.statusCode, await whole(reply.body)];
	}));
	const count = (replies) => replies.reduce((sum, [status]) =>
		({ ...sum, [status]: (sum[status] ?? 0) + 1 }), {});
	const put = await each('PUT', (i) => bodies[i]);
	const again = await each('PUT', (i) => bodies[i]);
	const got = await each('GET');
	got.forEach(([, body], i) => check(body.equals(bodies[i]), `key ${i}`));
	const gone = await each('DELETE');
	return [put, again, got, gone, await each('GET')].map(count);
});

// The same call in each of its forms, all of them pipelined.
const rpc = () => withPool({ connections: 5, pipelining: 10 }, async (pool) => {
	const forms = JSON.parse(calls).map(({ type, request: asked, answer }) =>
		({ type, body: Buffer.from(asked, 'hex'), answer: Buffer.from(answer, 'hex') }));
	const count = [...Array(NB_REQUESTS).keys()];
	await Promise.all(count.map(async (i) => {
		const { type, body, answer } = forms[i % forms.length];
		const reply = await pool.request({
			path: '/rpc', method: 'POST', body, headers: { 'content-type': type }, idempotent: true,
		});
		check((await whole(reply.body)).equals(answer), `call ${i}`);
		check(reply.headers['content-type'] === type, `type of call ${i}`);
	}));
	return forms.length;
});

async function fetched() {
	const body = randomBytes(100000);
	const echo = await fetch(`${url}/echo`, { method: 'POST', body });
	check(Buffer.from(await echo.arrayBuffer()).equals(body), 'another body');
	const health = await fetch(`${url}/health`);
	const once = await request(`${url}/health`, { reset: true });
	return [await health.text(), health.headers.get('content-type'), await once.body.text()];
}

// Node's own client, connections kept.
async function core() {
	const agent = new http.Agent({ keepAlive: true, maxSockets: 10 });
	const one = () => new Promise((resolve, reject) => {
		http.get(`${url}/health`, { agent }, (res) => whole(res).then(resolve, reject))
			.on('error', reject);
	});
	const bodies = await Promise.all([...Array(500)].map(one));
	agent.destroy();
	return bodies.every((body) => body.toString() === 'ok');
}

await runCases({ pipelined, echoes, chunked, large, expect, statuses, keys, rpc, fetched, core });
