// SPDX-License-Identifier: GPL-2.0
// Checks the signature of a request to S3 (AWS Signature Version 4), with node's crypto alone.
'use strict';

const crypto = require('crypto');

const hash = (data) => crypto.createHash('sha256').update(data).digest('hex');
const hmac = (key, data) => crypto.createHmac('sha256', key).update(data).digest();

// Each byte that is not unreserved (RFC 3986) as %XX, but no slash.
const encode = (path) => path.split('/').map((part) => encodeURIComponent(decodeURIComponent(part))
	.replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase())).join('/');

// Returns: '' if the request has the right signature, else what is wrong.
exports.check = (request, body, key, secret, region) => {
	const given = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(.+)$/
		.exec(request.headers.authorization || '');
	if (!given)
		return 'no signature: ' + request.headers.authorization;
	const [, credential, signed, signature] = given;
	const time = request.headers['x-amz-date'];
	const scope = [time.slice(0, 8), region, 's3', 'aws4_request'];
	if (credential !== [key, ...scope].join('/'))
		return 'credential ' + credential;
	if (request.headers['x-amz-content-sha256'] !== hash(body))
		return 'the hash of the body';
	for (const name of ['host', 'x-amz-date', 'x-amz-content-sha256'])
		if (!signed.split(';').includes(name))
			return name + ' is not signed';
	const canonical = [
		request.method, encode(request.url.split('?')[0]), request.url.split('?')[1] || '',
		...signed.split(';').map((name) => name + ':' + request.headers[name].trim()),
		'', signed, request.headers['x-amz-content-sha256'],
	].join('\n');
	const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), hash(canonical)].join('\n');
	const signing = scope.reduce(hmac, 'AWS4' + secret);
	return hmac(signing, text).toString('hex') === signature ? '' : 'signature';
};
