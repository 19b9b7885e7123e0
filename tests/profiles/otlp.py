# SPDX-License-Identifier: GPL-2.0
"""Reads OTLP with the official messages, checks what receivers check, and prints the sum of each
profile. Usage: otlp.py FILE"""
import sys

from opentelemetry.proto.profiles.v1development import profiles_pb2


def check(condition, text):
    if not condition:
        sys.exit("otlp.py: " + text)


def check_indices(indices, table, text):
    check(all(0 <= i < len(table) for i in indices), text)


def check_tables(d):
    for field in d.DESCRIPTOR.fields:
        table = getattr(d, field.name)
        check(len(table) > 0, field.name + " has no element 0")
        check(table[0] in ("", type(table[0])()), field.name + ": element 0 is not empty")
        keys = [t if isinstance(t, str) else t.SerializeToString(deterministic=True) for t in table]
        check(len(set(keys)) == len(keys) or field.name == "location_table",
              field.name + " has equal elements")


def check_references(d):
    for stack in d.stack_table:
        check_indices(stack.location_indices, d.location_table, "location")
    for location in d.location_table:
        check_indices([location.mapping_index], d.mapping_table, "mapping")
        check_indices([line.function_index for line in location.lines], d.function_table, "function")
    for entry in [*d.mapping_table, *d.location_table]:
        check_indices(entry.attribute_indices, d.attribute_table, "attribute")
    for attribute in d.attribute_table[1:]:
        check(attribute.key_strindex > 0 and attribute.value.WhichOneof("value"), "value")


def check_sample(sample, d):
    check_indices([sample.stack_index], d.stack_table, "stack")
    check_indices(sample.attribute_indices, d.attribute_table, "attribute of a sample")
    keys = [d.attribute_table[i].key_strindex for i in sample.attribute_indices]
    check(len(set(keys)) == len(keys), "a key comes twice")
    check(len(sample.values) == 1 and sample.values[0] != 0, "one value for each sample")
    return sample.values[0]


with open(sys.argv[1], "rb") as file:
    data = profiles_pb2.ProfilesData.FromString(file.read())
check_tables(data.dictionary)
check_references(data.dictionary)
check(len(data.resource_profiles) == 1, "one resource")
resource, = data.resource_profiles
check(resource.HasField("resource") and len(resource.scope_profiles) == 1, "one scope")
scope, = resource.scope_profiles
check(scope.HasField("scope"), "a scope")
for profile in scope.profiles:
    check(profile.HasField("period_type") and len(profile.samples) > 0, "a period type and samples")
    name = data.dictionary.string_table[profile.sample_type.type_strindex]
    check("-" not in name, "Pyroscope refuses the sample type " + name)
    print(name, sum(check_sample(sample, data.dictionary) for sample in profile.samples))
