// SPDX-License-Identifier: GPL-2.0
"use strict";
/*
 * Checks a file by speedscope's schema, and by the rules of its importer that are not in the
 * schema. Prints the sum of each profile. Usage: node speedscope.js READERS FILE
 */

const fs = require("fs");
const [readers, file] = process.argv.slice(2);
const Ajv = require(`${fs.realpathSync(readers)}/node_modules/ajv`);

const read = path => JSON.parse(fs.readFileSync(path, "utf8"));
const schema = read(`${readers}/node_modules/speedscope/dist/release/file-format-schema.json`);
const isValid = new Ajv({ strict: false }).compile(schema);
const data = read(file);

function check(profile) {
	const sum = profile.weights.reduce((a, b) => a + b, 0);

	if (profile.samples.length !== profile.weights.length)
		throw new Error(`${profile.name}: as many samples as weights`);
	if (profile.weights.some(weight => !(weight > 0)))
		throw new Error(`${profile.name}: a weight is not positive`);
	if (profile.samples.flat().some(frame => !data.shared.frames[frame]))
		throw new Error(`${profile.name}: a frame does not exist`);
	if (profile.endValue - profile.startValue !== sum)
		throw new Error(`${profile.name}: the end is not the sum`);
	return `${profile.name} ${sum}`;
}

if (!isValid(data))
	throw new Error(JSON.stringify(isValid.errors));
console.log(data.profiles.map(check).join("\n"));
