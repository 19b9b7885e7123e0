# SPDX-License-Identifier: GPL-2.0
"""Has a request to S3 the signature that AWS's own library makes? REQUEST is what the server of
tests/push/server.js noted. Usage: s3_signature.py REQUEST BODY KEY SECRET REGION"""
import hashlib
import json
import re
import sys

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

with open(sys.argv[1], encoding="ascii") as file:
    noted = json.load(file)
with open(sys.argv[2], "rb") as file:
    body = file.read()
key, secret, region = sys.argv[3:]
headers = noted["headers"]
authorization = re.search("SignedHeaders=([^,]+), ?Signature=(.+)$", headers["authorization"])
signed, given = authorization.groups()
request = AWSRequest(noted["method"], "http://" + headers["host"] + noted["url"],
                     {name: headers[name] for name in signed.split(";")}, body)
request.context["timestamp"] = headers["x-amz-date"]
auth = S3SigV4Auth(Credentials(key, secret), "s3", region)
text = auth.string_to_sign(request, auth.canonical_request(request))
if headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
    sys.exit("the hash of the body is wrong")
if auth.signature(text, request) != given:
    sys.exit("the signature is %s, and should be that of\n%s" % (given, text))
