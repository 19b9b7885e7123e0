#!/usr/bin/python3
"""A program for the demo: bursts of requests, each served by a thread of its own."""
import json
import random
import sys
import threading
import time
import zlib


def parse(document):
    return json.loads(document)


def sort_records(records):
    return sorted(records, key=lambda record: (record["group"], record["name"]))


def compress(records):
    return zlib.compress(json.dumps(records).encode(), 6)


def serve(document, sizes):
    sizes.append(len(compress(sort_records(parse(document)))))


def make_document(rng):
    records = [{"name": rng.randrange(10**6), "group": rng.choice("abcdef")}
               for _ in range(2000)]
    return json.dumps(records)


def main(seconds):
    document = make_document(random.Random(1))
    end = time.monotonic() + seconds
    sizes = []
    while time.monotonic() < end:
        threads = [threading.Thread(target=serve, args=(document, sizes), name="worker")
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(f"served {len(sizes)} requests")


main(float(sys.argv[1]))
