// SPDX-License-Identifier: GPL-2.0
// A backend of each kind, on loopback. It stores what it takes in a folder: N.profile, the bytes,
// and N.json, what came with them. The first folder of a path says how it answers:
//
//   /pyroscope        the server of connect-node; the label error=CODE makes it fail once
//   /parca            WriteRaw as JSON; fields that it does not know are errors
//   /otlp             stores the message of OTLP
//   /files            stores the body
//   /s3               the same, if its signature is right
//   /NNN              answers with this status, and /NNN/after/S with Retry-After: S; /NNN/once the
//                     first time, then 200
//   /never            does not answer
//   /slow             notes the request in a file of this name, and answers after 25 s
//   /endless          answers without an end
//
// Usage: node server.js PARTNERS FOLDER. FOLDER/port has the port when it is ready, and FOLDER/tls
// that of the server that asks for a certificate of a client, if FOLDER has server.pem and ca.pem.
'use strict';

const fs = require('fs');
const http = require('http');
const https = require('https');
const path = require('path');
const zlib = require('zlib');
const sigv4 = require('./sigv4.js');

const [partners, folder] = process.argv.slice(2).map((p) => path.resolve(p));
const failed = new Set();
let count = 0;

function store(bytes, about) {
	count++;
	fs.writeFileSync(path.join(folder, count + '.profile'), bytes);
	fs.writeFileSync(path.join(folder, count + '.json'), JSON.stringify(about));
}

// The labels of a series as an object. A name that comes twice is an error.
function labelsOf(list) {
	const labels = {};
	for (const { name, value } of list) {
		if (name in labels || !/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name))
			throw new Error('label ' + name);
		labels[name] = value;
	}
	if (!labels.__name__)
		throw new Error('no __name__');
	return labels;
}

function makePyroscope() {
	const load = (name) => require(require.resolve(name, { paths: [partners] }));
	const { createFileRegistry, fromBinary } = load('@bufbuild/protobuf');
	const { FileDescriptorSetSchema } = load('@bufbuild/protobuf/wkt');
	const { connectNodeAdapter } = load('@connectrpc/connect-node');
	const { Code, ConnectError } = load('@connectrpc/connect');
	const set = fromBinary(FileDescriptorSetSchema, fs.readFileSync(path.join(partners, 'push.bin')));
	const service = createFileRegistry(set).getService('push.v1.PusherService');

	return connectNodeAdapter({
		requestPathPrefix: '/pyroscope',
		routes: (router) => router.service(service, {
			push(request, context) {
				for (const series of request.series) {
					const labels = labelsOf(series.labels);
					if (labels.error && !failed.has(labels.error)) {
						failed.add(labels.error);
						throw new ConnectError('as asked', Code[labels.error]);
					}
					const tenant = context.requestHeader.get('x-scope-orgid');
					const authorization = context.requestHeader.get('authorization');
					for (const sample of series.samples)
						store(sample.rawProfile, { labels, tenant, authorization });
				}
				return {};
			},
		}),
	});
}

function only(object, ...names) {
	for (const name of Object.keys(object))
		if (!names.includes(name))
			throw new Error('field ' + name);
}

function takeParca(request, body) {
	if (request.url !== '/parca/api/profiles/writeraw' ||
	    request.headers['content-type'] !== 'application/json')
		throw new Error('request');
	const message = JSON.parse(body);
	only(message, 'series', 'normalized');
	for (const series of message.series) {
		only(series, 'labels', 'samples');
		only(series.labels, 'labels');
		for (const sample of series.samples) {
			only(sample, 'rawProfile');
			store(Buffer.from(sample.rawProfile, 'base64'),
			      { labels: labelsOf(series.labels.labels) });
		}
	}
	return '{}';
}

function takeOtlp(request, body) {
	if (request.url !== '/otlp/v1development/profiles' ||
	    request.headers['content-type'] !== 'application/x-protobuf' ||
	    request.headers['content-encoding'] !== 'gzip' ||
	    request.headers['otlp-profiles-development-version'] !== '1')
		throw new Error('request');
	store(zlib.gunzipSync(body), {});
	return '';
}

function takeFile(request, body) {
	if (request.method !== 'PUT')
		throw new Error('method ' + request.method);
	store(body, { url: request.url, authorization: request.headers.authorization });
	return '';
}

function takeS3(request, body) {
	const wrong = sigv4.check(request, body, 'KEY', 'SECRET', 'eu-test-1');
	if (wrong)
		throw new Error(wrong);
	store(body, { url: request.url, method: request.method, headers: request.headers,
		      token: request.headers['x-amz-security-token'] });
	return '';
}

function answerStatus(request, response) {
	const [, status, how, value] = request.url.split('/');
	if (how === 'after')
		response.setHeader('Retry-After', value);
	if (status[0] === '3')
		response.setHeader('Location', 'http://127.0.0.1:1/');
	const again = how !== 'once' && how !== 'after';
	response.statusCode = again || !failed.has(request.url) ? +status : 200;
	failed.add(request.url);
	fs.appendFileSync(path.join(folder, 'log'), response.statusCode + ' ' + Date.now() + '\n');
	response.end('{"code":"x","message":"\x1b[31mred"}\n');
}

const takers = { parca: takeParca, otlp: takeOtlp, files: takeFile, s3: takeS3 };

function serve(request, response, body) {
	const place = request.url.split('/')[1];
	if (place === 'never')
		return;
	if (place === 'slow') {
		fs.appendFileSync(path.join(folder, 'slow'), 'request\n');
		setTimeout(() => response.end(), 25000);
		return;
	}
	if (place === 'endless') {
		response.on('close', () => fs.writeFileSync(path.join(folder, 'closed'), 'yes'));
		const write = () => {
			while (!response.destroyed && response.write('x'.repeat(65536)))
				;
		};
		response.on('drain', write);
		write();
		return;
	}
	if (!takers[place])
		return answerStatus(request, response);
	try {
		response.end(takers[place](request, body));
	} catch (error) {
		fs.appendFileSync(path.join(folder, 'errors'), request.url + ': ' + error + '\n');
		response.statusCode = 400;
		response.end(String(error));
	}
}

let pyroscope;

function handle(request, response) {
	const parts = [];
	if (request.url.startsWith('/pyroscope/')) {
		pyroscope = pyroscope || makePyroscope();
		pyroscope(request, response);
		return;
	}
	request.on('data', (part) => parts.push(part));
	request.on('end', () => serve(request, response, Buffer.concat(parts)));
}

function listen(server, file) {
	server.listen(0, '127.0.0.1', () => {
		fs.writeFileSync(path.join(folder, file + '.new'), String(server.address().port));
		fs.renameSync(path.join(folder, file + '.new'), path.join(folder, file));
	});
}

const pem = (name) => fs.readFileSync(path.join(folder, name));

if (fs.existsSync(path.join(folder, 'server.pem')))
	listen(https.createServer({
		key: pem('server.pem'), cert: pem('server.pem'), ca: pem('ca.pem'),
		requestCert: true, rejectUnauthorized: true,
	}, handle), 'tls');
listen(http.createServer(handle), 'port');
