// SPDX-License-Identifier: BSD-3-Clause
//
// ioredis.mjs HOST PORT [PASSWORD]: what programs do with ioredis. What a case gives back is the
// same of every server that answers as Redis does.

import { createHash, randomBytes } from 'node:crypto';
import Redis from 'ioredis';
import { refusal, runCases, until } from './cases.mjs';

const NB_PIPELINED = 10000;
const NB_MESSAGES = 200;
const LARGE_LEN = (1 << 20) + 1;

const [host, port, password] = process.argv.slice(2);
const options = { host, port: Number(port), password, lazyConnect: true };

// One connection with an empty key space for each case.
const withClient = (run, more = {}) => async () => {
	const redis = new Redis({ ...options, ...more });
	try {
		await redis.connect();
		await redis.flushall();
		return await run(redis);
	} finally {
		redis.disconnect();
	}
};

const sha = (bytes) => createHash('sha256').update(bytes).digest('hex');

async function values(redis) {
	const binary = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
	await redis.set('binary', binary);
	if (!binary.equals(await redis.getBuffer('binary')))
		throw new Error('binary value differs');
	return [
		await redis.set('text', 'zwölf\r\nBoxkämpfer'),
		await redis.get('text'),
		await redis.set('empty', ''),
		await redis.get('empty'),
		await redis.get('none'),
		await redis.set('once', '1', 'EX', 100, 'NX'),
		await redis.set('once', '2', 'EX', 100, 'NX'),
		await redis.ttl('once'),
		await redis.incr('n'),
		await redis.incrby('n', 41),
		await redis.decr('n'),
		await redis.hset('h', { a: 1, b: 'two' }),
		await redis.hgetall('h'),
		await redis.hget('h', 'none'),
		await redis.hdel('h', 'a'),
		await redis.hlen('h'),
		await redis.zadd('z', 1.5, 'a', '-inf', 'b'),
		await redis.zscore('z', 'a'),
		await redis.zscore('z', 'b'),
		await redis.zcard('z'),
		await redis.type('z'),
		await redis.exists('z', 'h', 'none'),
		await redis.del('z', 'h'),
		await redis.dbsize(),
	];
}

async function errors(redis) {
	await redis.hset('h', 'f', 'v');
	await redis.set('text', 'x');
	return [
		await refusal(redis.get('h')),
		await refusal(redis.hset('text', 'f', 'v')),
		await refusal(redis.zadd('text', 1, 'm')),
		await refusal(redis.incr('text')),
		await refusal(redis.zadd('z', 'x', 'm')),
		await refusal(redis.set('k', 'v', 'EX', 0)),
		await refusal(redis.set('k', 'v', 'WHAT')),
		await refusal(redis.call('GET')),
		await refusal(redis.call('NOSUCH', 'a', 'b')),
		await refusal(redis.select(10000)),
	];
}

// An error in the middle is that of one command, and the others are done.
async function pipeline(redis) {
	const pipe = redis.pipeline();
	for (let i = 0; i < NB_PIPELINED / 2; i++)
		pipe.set(`k${i}`, i).get(`k${i}`);
	const replies = await pipe.hget('k0', 'f').get('k1').exec();
	const wrong = replies.slice(0, NB_PIPELINED).findIndex(([error, value], i) =>
		error !== null || value !== (i % 2 === 0 ? 'OK' : String((i - 1) / 2)));
	if (wrong >= 0)
		throw new Error(`reply ${wrong}: ${replies[wrong]}`);
	const [middle, last] = replies.slice(NB_PIPELINED);
	return [replies.length, middle[0].message, last[1]];
}

// What is asked for in one turn of the event loop leaves as one pipeline.
async function autoPipeline(redis) {
	const count = [...Array(1000).keys()];
	await Promise.all(count.map((i) => redis.set(`a${i}`, i)));
	const got = await Promise.all(count.map((i) => redis.get(`a${i}`)));
	return got.every((value, i) => value === String(i));
}

async function subscribe(redis) {
	const sub = redis.duplicate();
	const got = { a: [], b: [] };
	sub.on('message', (channel, text) => got[channel].push(text));
	try {
		const nb = [await sub.subscribe('a', 'b')];
		for (let i = 0; i < NB_MESSAGES; i++)
			nb.push(await redis.publish(i % 2 ? 'b' : 'a', `m${i}`));
		await until(() => got.a.length + got.b.length === NB_MESSAGES);
		nb.push(await refusal(sub.call('GET', 'k')));
		nb.push(await sub.ping());
		nb.push(await sub.unsubscribe('a'), await redis.publish('a', 'gone'));
		return [nb, got];
	} finally {
		sub.disconnect();
	}
}

async function large(redis) {
	const value = randomBytes(LARGE_LEN);
	const status = await redis.set('large', value);
	const got = await Promise.all([redis.getBuffer('large'), redis.getBuffer('large')]);
	return [status, got.every((one) => sha(one) === sha(value))];
}

// The server closes behind bytes that are not RESP. ioredis comes again by itself.
async function reconnect(redis) {
	const sub = redis.duplicate();
	const got = [];
	let nbReady = 0;
	for (const one of [redis, sub])
		one.on('error', () => {}).on('ready', () => nbReady++);
	sub.on('message', (_, text) => got.push(text));
	try {
		await sub.subscribe('news');
		await redis.set('k', 'kept');
		await until(() => nbReady === 1);
		redis.stream.write('*x\r\n');
		sub.stream.write('*x\r\n');
		await until(() => nbReady === 3);
		const value = await redis.get('k');
		await until(() => sub.status === 'ready');
		const end = Date.now() + 5000;
		while (await redis.publish('news', 'heard') === 0 && Date.now() < end);
		await until(() => got.length > 0);
		return [value, got];
	} finally {
		sub.disconnect();
	}
}

// Where there are no transactions, the program hears of it.
async function transaction(redis) {
	return redis.multi().set('k', 'v').get('k').exec().catch((error) => error.message);
}

async function name(redis) {
	return [await redis.client('GETNAME'), (await redis.call('HELLO', 2)).slice(0, 6)];
}

async function quit(redis) {
	const closed = new Promise((resolve) => redis.once('end', resolve));
	const status = await redis.quit();
	await closed;
	return status;
}

async function authenticate(redis) {
	const once = { ...options, retryStrategy: null, enableReadyCheck: false };
	const wrong = new Redis({ ...once, password: 'wrong' });
	const none = new Redis({ ...once, password: undefined });
	const said = [];
	wrong.on('error', (error) => said.push(error.message));
	none.on('error', () => {});
	try {
		await redis.set('k', 'v');
		return [
			await redis.get('k'),
			await refusal(wrong.connect().then(() => wrong.get('k'))),
			said,
			await refusal(none.connect().then(() => none.get('k'))),
			await none.auth('default', password),
			await none.get('k'),
		];
	} finally {
		wrong.disconnect();
		none.disconnect();
	}
}

await runCases(password !== undefined ? { authenticate: withClient(authenticate) } : {
	values: withClient(values),
	errors: withClient(errors),
	pipeline: withClient(pipeline),
	auto_pipeline: withClient(autoPipeline, { enableAutoPipelining: true }),
	subscribe: withClient(subscribe),
	large: withClient(large),
	reconnect: withClient(reconnect),
	transaction: withClient(transaction),
	name: withClient(name, { connectionName: 'leat-dts' }),
	quit: withClient(quit),
});
