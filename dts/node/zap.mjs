// SPDX-License-Identifier: BSD-3-Clause
//
// zap.mjs HOST HTTP_PORT CALL_PORT: frames of HTTP over ZAP and calls, encoded and decoded by the
// TypeScript runtime of ZAP. What it has no words for is the frame's length and the layouts.

import net from 'node:net';
import {
	Builder, ListView, Message, Session, Status, StructView, buildRequest, parseResponse,
} from '@zap-proto/zap';
import { runCases } from './cases.mjs';

const [host, httpPort, callPort] = process.argv.slice(2);
const REQUEST = 1, RESPONSE = 2;
const BALANCE = 1, ECHO = 2;
const NB_CALLS = 1000;
const ACCOUNT = Buffer.from('deadbeef00112233445566778899aabbccddeeff', 'hex');
const HASH = '0123456789abcdeffedcba98765432100f1e2d3c4b5a69788796a5b4c3d2e1f0';
const NONE = new Uint8Array(0);
const utf8 = new TextEncoder();

function check(is, what) {
	if (!is)
		throw new Error(what);
}

// What the compiler of schemas would have made for our layouts.
class View extends StructView {
	static of(bytes) {
		const root = Message.parse(bytes).root();
		return new View(root.data, root.offset);
	}
	u16At(at) { return this.u16(at); }
	u32At(at) { return this.u32(at); }
	u64At(at) { return this.u64(at); }
	textAt(at) { return this.text(at); }
	bytesAt(at) { return this.bytes(at); }
}

function record(id, block, method = 'eth_getBalance', account = ACCOUNT) {
	const builder = new Builder();
	const object = builder.startObject(32);
	object.setU64(0, BigInt(id));
	object.setU64(8, BigInt(block));
	object.setText(16, method);
	object.setBytes(24, account);
	object.finishAsRoot();
	return builder.finish();
}

function checkRecord(bytes, id, block) {
	const view = View.of(bytes);
	const balance = 10n ** 18n ^ (BigInt(block) ^ 14n ^ 20n ^ 0xden);
	check(view.u64At(0) === BigInt(id), `id ${view.u64At(0)}`);
	check(view.u64At(8) === balance, `balance ${view.u64At(8)} instead of ${balance}`);
	check(view.u64At(16) === 42n, `nonce ${view.u64At(16)}`);
	check(Buffer.from(view.bytesAt(24)).toString('hex') === HASH, 'hash');
}

function headerBlock(fields) {
	const texts = fields.flat().map((text) => utf8.encode(text));
	const parts = [Buffer.alloc(4)];
	parts[0].writeUInt32LE(fields.length);
	for (const text of texts) {
		const length = Buffer.alloc(4);
		length.writeUInt32LE(text.length);
		parts.push(length, text);
	}
	return Buffer.concat(parts);
}

function httpRequest(method, target, fields, body) {
	const builder = new Builder();
	const object = builder.startObject(48);
	object.setText(0, method);
	object.setText(8, target);
	object.setText(16, 'HTTP/1.1');
	object.setBytes(24, fields.length > 0 ? headerBlock(fields) : NONE);
	object.setBytes(32, body);
	object.finishAsRoot();
	const message = builder.finishWithFlags(REQUEST << 8);
	const length = Buffer.alloc(4);
	length.writeUInt32BE(message.length);
	return Buffer.concat([length, message]);
}

// Frames of a connection, in their order.
class Frames {
	constructor(port, readLength) {
		this.socket = net.connect(Number(port), host);
		this.data = Buffer.alloc(0);
		this.readLength = readLength;
		this.chunks = this.socket[Symbol.asyncIterator]();
	}
	async take(length) {
		while (this.data.length < length) {
			const { value, done } = await this.chunks.next();
			check(!done, 'closed');
			this.data = Buffer.concat([this.data, value]);
		}
		const taken = this.data.subarray(0, length);
		this.data = this.data.subarray(length);
		return taken;
	}
	async next() {
		return this.take(this.readLength(await this.take(4)));
	}
	close() {
		this.socket.destroy();
	}
}

async function withHttp(run) {
	const frames = new Frames(httpPort, (length) => length.readUInt32BE());
	frames.ask = async (...request) => {
		frames.socket.write(httpRequest(...request));
		const message = await frames.next();
		check(Message.parse(message).flags() === RESPONSE << 8, 'not a response');
		const view = View.of(message);
		return { status: view.u16At(0), reason: view.textAt(8), body: view.bytesAt(32) };
	};
	try {
		return await run(frames);
	} finally {
		frames.close();
	}
}

async function withCalls(run) {
	const frames = new Frames(callPort, (length) => length.readUInt32LE());
	frames.call = (call) => {
		const envelope = buildRequest(call);
		const head = Buffer.alloc(5);
		head.writeUInt32LE(1 + envelope.length);
		head[4] = 1;
		frames.socket.write(Buffer.concat([head, envelope]));
	};
	frames.answer = async () => {
		const frame = await frames.next();
		check(frame[0] === 2, `a frame of kind ${frame[0]}`);
		return parseResponse(frame.subarray(1));
	};
	try {
		return await run(frames);
	} finally {
		frames.close();
	}
}

const record_over_http = () => withHttp(async (http) => {
	const fields = [['Host', 'a'], ['Content-Type', 'application/zap']];
	for (let i = 0; i < NB_CALLS; i++) {
		const reply = await http.ask('POST', '/rpc', fields, record(i, i * 7919));
		check(reply.status === 200 && reply.reason === 'OK', `${reply.status}`);
		checkRecord(reply.body, i, i * 7919);
	}
});

const echo_over_http = () => withHttp(async (http) => {
	for (const length of [0, 1, 1000, 100000, 1 << 20]) {
		const body = Buffer.alloc(length, 'zap');
		const reply = await http.ask('POST', '/echo', [], body);
		check(reply.status === 200 && body.equals(reply.body), `${length} bytes`);
	}
	check((await http.ask('GET', '/nowhere', [], NONE)).status === 404, 'not 404');
});

// All at once; answers are told apart by their promises.
const calls = () => withCalls(async (rpc) => {
	for (let i = 1; i <= NB_CALLS; i++)
		rpc.call({ method: BALANCE, promiseID: i, target: 0, cap: NONE, payload: record(i, i) });
	for (let i = 1; i <= NB_CALLS; i++) {
		const answer = await rpc.answer();
		check(answer.status === Status.OK, `${answer.status}`);
		checkRecord(answer.body, answer.promiseID, answer.promiseID);
	}
	rpc.call({ method: 77, promiseID: 1, target: 0, cap: NONE, payload: NONE });
	check((await rpc.answer()).status === Status.NotFound, 'not 404');
	rpc.call({ method: BALANCE, promiseID: 1, target: 0, cap: NONE, payload: NONE });
	check((await rpc.answer()).status === Status.BadRequest, 'not 400');
});

// Its own client of promises: a call and two that build on it, sent back to back, the last first.
const session = () => withCalls(async (rpc) => {
	const one = new Session();
	const [a, b, c, d] = [one.next(), one.next(), one.next(), one.next()];
	rpc.call(one.pipe(c, b, ECHO));
	rpc.call(one.origin(a, BALANCE, NONE, record(5, 6)));
	rpc.call(one.pipe(b, a, ECHO));
	const answers = [await rpc.answer(), await rpc.answer(), await rpc.answer()];
	check(answers.map((answer) => answer.promiseID).join() === `${a.id},${b.id},${c.id}`, 'order');
	for (const answer of answers)
		checkRecord(answer.body, 5, 6);
	rpc.call(one.pipe(d, { id: 999 }, ECHO));
	rpc.call(one.origin({ id: 999 }, 77));
	check((await rpc.answer()).status === Status.NotFound, 'not 404');
	check((await rpc.answer()).status === Status.BadRequest, 'not 400');
});

// A message with lists and a nested object comes back as it was, for its own reader.
const foreign_lists = () => withCalls(async (rpc) => {
	const builder = new Builder();
	const list = builder.startList();
	list.addObjectBytes(utf8.encode('one'));
	list.addObjectBytes(record(1, 2));
	const object = builder.startObject(16);
	object.setList(0, list.finishOffset(), list.finishCount());
	object.setText(8, 'text \u2192');
	object.finishAsRoot();
	const payload = builder.finish();
	rpc.call({ method: ECHO, promiseID: 1, target: 0, cap: NONE, payload });
	const { body } = await rpc.answer();
	check(Buffer.from(payload).equals(body), 'other bytes');
	const root = Message.parse(body).root();
	const items = new (class extends StructView {
		get items() { return this.list(0); }
	})(root.data, root.offset).items;
	check(items instanceof ListView && items.len() === 2, `${items.len()} items`);
	check(items.textAt(0) === 'one' && items.bytesAt(1).length === 82, 'items');
});

await runCases({ record_over_http, echo_over_http, calls, session, foreign_lists });
