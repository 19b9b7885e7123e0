# SPDX-License-Identifier: GPL-2.0
"""Are two messages of OTLP equal? The OpenTelemetry collector may put strings of attributes into the
dictionary, after the strings that were there. Usage: same_otlp.py SENT RECEIVED"""
import sys

from opentelemetry.proto.profiles.v1development import profiles_pb2


def read(path):
    with open(path, "rb") as file:
        return profiles_pb2.ProfilesData.FromString(file.read())


def put_strings_back(attributes, strings):
    for attribute in attributes:
        if attribute.key_strindex:
            attribute.key = strings[attribute.key_strindex]
            attribute.key_strindex = 0
        if attribute.value.WhichOneof("value") == "string_value_strindex":
            attribute.value.string_value = strings[attribute.value.string_value_strindex]


sent, received = map(read, sys.argv[1:])
strings = received.dictionary.string_table
for resource in received.resource_profiles:
    put_strings_back(resource.resource.attributes, strings)
    for scope in resource.scope_profiles:
        put_strings_back(scope.scope.attributes, strings)
del strings[len(sent.dictionary.string_table):]
# The collector gives the empty element of the table an empty value.
if received.dictionary.attribute_table[0].value.WhichOneof("value") is None:
    received.dictionary.attribute_table[0].ClearField("value")
if sent != received:
    sys.exit("sent:\n%s\nreceived:\n%s" % (sent, received))
