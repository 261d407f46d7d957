// SPDX-License-Identifier: BSD-3-Clause
//
// node_redis.mjs PACKAGE RESP HOST PORT [PASSWORD]: what programs do with node-redis, whose package
// "redis" knows RESP2 and "redis5" RESP3 too. What a case gives back is the same of every server
// that answers as Redis does.

import { createHash, randomBytes } from 'node:crypto';
import { refusal, runCases, until } from './cases.mjs';

const NB_PARALLEL = 10000;
const NB_MESSAGES = 200;
const LARGE_LEN = (1 << 20) + 1;

const [library, resp, host, port, password] = process.argv.slice(2);
const { createClient, commandOptions, RESP_TYPES } = await import(library);
const isV5 = library === 'redis5';
const isResp3 = resp === '3';
const options = { socket: { host, port: Number(port) }, password };
if (isV5)
	options.RESP = Number(resp);

const close = (client) => (isV5 ? client.destroy() : client.disconnect().catch(() => {}));

// One connection with an empty key space for each case.
const withClient = (run, more = {}) => async () => {
	const client = createClient({ ...options, ...more });
	client.on('error', () => {});
	try {
		await client.connect();
		await client.flushAll();
		return await run(client);
	} finally {
		await close(client);
	}
};

const sha = (bytes) => createHash('sha256').update(bytes).digest('hex');

const getBuffer = (client, key) => (isV5 ?
	client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }).get(key) :
	client.get(commandOptions({ returnBuffers: true }), key));

async function values(client) {
	const binary = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
	await client.set('binary', binary);
	if (!binary.equals(await getBuffer(client, 'binary')))
		throw new Error('binary value differs');
	return [
		await client.set('text', 'zwölf\r\nBoxkämpfer'),
		await client.get('text'),
		await client.set('empty', ''),
		await client.get('empty'),
		await client.get('none'),
		await client.set('once', '1', { EX: 100, NX: true }),
		await client.set('once', '2', { EX: 100, NX: true }),
		await client.set('once', '3', { GET: true, KEEPTTL: true }),
		await client.ttl('once'),
		await client.incr('n'),
		await client.incrBy('n', 41),
		await client.decr('n'),
		await client.hSet('h', { a: '1', b: 'two' }),
		await client.hGetAll('h'),
		await client.hGetAll('none'),
		await client.hGet('h', 'none'),
		await client.hDel('h', 'a'),
		await client.hLen('h'),
		await client.zAdd('z', [{ score: 1.5, value: 'a' }, { score: -Infinity, value: 'b' }]),
		await client.zScore('z', 'a'),
		String(await client.zScore('z', 'b')),
		await client.zScore('z', 'none'),
		await client.zCard('z'),
		await client.type('z'),
		await client.exists(['z', 'h', 'none']),
		await client.del(['z', 'h']),
		await client.dbSize(),
		await client.ping(),
		await client.echo('back'),
	];
}

async function errors(client) {
	await client.hSet('h', 'f', 'v');
	await client.set('text', 'x');
	return [
		await refusal(client.get('h')),
		await refusal(client.hSet('text', 'f', 'v')),
		await refusal(client.incr('text')),
		await refusal(client.sendCommand(['ZADD', 'z', 'x', 'm'])),
		await refusal(client.set('k', 'v', { EX: 0 })),
		await refusal(client.sendCommand(['SET', 'k', 'v', 'WHAT'])),
		await refusal(client.sendCommand(['GET'])),
		await refusal(client.sendCommand(['NOSUCH', 'a', 'b'])),
		await refusal(client.select(10000)),
		await client.ping(),
	];
}

// What is asked for in one turn of the event loop leaves as one pipeline.
async function pipeline(client) {
	const count = [...Array(NB_PARALLEL / 2).keys()];
	const got = await Promise.all(count.flatMap((i) => [
		client.set(`k${i}`, String(i)), client.get(`k${i}`),
	]));
	return [got.length, got.findIndex((value, i) =>
		value !== (i % 2 === 0 ? 'OK' : String((i - 1) / 2)))];
}

// A subscriber of RESP3 goes on asking, since messages to it have a mark.
async function subscribe(client) {
	const sub = client.duplicate();
	const got = { a: [], b: [] };
	const nb = [];
	sub.on('error', () => {});
	await sub.connect();
	try {
		await sub.subscribe(['a', 'b'], (text, channel) => got[channel].push(text));
		for (let i = 0; i < NB_MESSAGES; i++)
			nb.push(await client.publish(i % 2 ? 'b' : 'a', `m${i}`));
		await until(() => got.a.length + got.b.length === NB_MESSAGES);
		if (isResp3) {
			nb.push(await sub.set('k', 'of a subscriber'), await sub.get('k'));
			nb.push(await sub.publish('a', 'to itself'));
			await until(() => got.a.at(-1) === 'to itself');
		}
		await sub.unsubscribe('a');
		nb.push(await client.publish('a', 'gone'), await client.publish('b', 'last'));
		await until(() => got.b.at(-1) === 'last');
		await sub.unsubscribe();
		nb.push(await client.publish('b', 'gone'), await sub.ping());
		return [nb, got];
	} finally {
		await close(sub);
	}
}

async function large(client) {
	const value = randomBytes(LARGE_LEN);
	const status = await client.set('large', value);
	const got = await Promise.all([getBuffer(client, 'large'), getBuffer(client, 'large')]);
	return [status, got.every((one) => sha(one) === sha(value))];
}

// The server closes behind QUIT, and node-redis, which has not been told, comes again by itself. Only
// in RESP3 may a subscriber say it.
async function reconnect(client) {
	const sub = client.duplicate();
	const said = [client];
	const got = [];
	let nbReady = 0;
	sub.on('error', () => {});
	await sub.connect();
	try {
		await sub.subscribe('news', (text) => got.push(text));
		await client.set('k', 'kept');
		if (isResp3)
			said.push(sub);
		for (const one of said) {
			one.on('ready', () => nbReady++);
			await one.sendCommand(['QUIT']);
		}
		await until(() => nbReady === said.length);
		return [await client.get('k'), await client.publish('news', 'heard'), nbReady];
	} finally {
		await close(sub);
	}
}

// Where there are no transactions, the program hears of it.
async function transaction(client) {
	return client.multi().set('k', 'v').get('k').exec().catch((error) => error.message);
}

async function name(client) {
	const hello = await client.sendCommand(['HELLO']);
	const map = hello.at === undefined ? hello :
		Object.fromEntries(hello.flatMap((key, i) => (i % 2 ? [] : [[key, hello[i + 1]]])));
	return [await client.clientGetName(), map.proto, map.server, map.version];
}

async function authenticate(client) {
	const once = { ...options, socket: { ...options.socket, reconnectStrategy: false } };
	const none = createClient({ ...once, password: undefined });
	const wrong = createClient({ ...once, password: 'wrong' });
	for (const one of [none, wrong])
		one.on('error', () => {});
	try {
		await client.set('k', 'v');
		const said = [await client.get('k'), await refusal(wrong.connect())];
		if (isV5) // it says HELLO in RESP2 too
			return [...said, await refusal(none.connect())];
		await none.connect();
		return [
			...said,
			await refusal(none.get('k')),
			await none.auth({ username: 'default', password }),
			await none.get('k'),
		];
	} finally {
		for (const one of [none, wrong])
			await Promise.resolve().then(() => close(one)).catch(() => {});
	}
}

await runCases(password !== undefined ? { authenticate: withClient(authenticate) } : {
	values: withClient(values),
	errors: withClient(errors),
	pipeline: withClient(pipeline),
	subscribe: withClient(subscribe),
	large: withClient(large),
	reconnect: withClient(reconnect),
	transaction: withClient(transaction),
	name: withClient(name, { name: 'leat-dts' }),
});
