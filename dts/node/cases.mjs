// SPDX-License-Identifier: BSD-3-Clause
//
// Cases run one after the other, and each prints a line of JSON: its name, what went wrong or "",
// and what it tells about itself.

import { writeSync } from 'node:fs';

const CASE_MAX_MS = 15000;

function withinTime(promise) {
	let timer;
	const late = new Promise((_, reject) => {
		timer = setTimeout(() => reject(new Error('took too long')), CASE_MAX_MS);
	});
	return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// An error that nobody waits for is one of the case that runs.
let stray = [];
process.on('unhandledRejection', (error) => stray.push(error));
process.on('uncaughtException', (error) => stray.push(error));

export async function runCases(cases) {
	for (const [name, run] of Object.entries(cases)) {
		let error = '';
		let value = null;
		stray = [];
		try {
			value = (await withinTime(run())) ?? null;
			if (stray.length > 0)
				throw stray[0];
		} catch (caught) {
			error = String(caught?.stack ?? caught) || 'failed';
		}
		writeSync(1, JSON.stringify({ name, error, value }) + '\n');
	}
	process.exit(0);
}

// The error of a promise that must not be kept, as its text.
export async function refusal(promise) {
	const value = await promise.then(
		(kept) => ({ kept }),
		(error) => ({ error }),
	);
	if (value.error === undefined)
		throw new Error(`not refused: ${JSON.stringify(value.kept)}`);
	return value.error.message;
}

export async function until(what, ms = 5000) {
	const end = Date.now() + ms;
	while (!what()) {
		if (Date.now() > end)
			throw new Error(`never came: ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}
