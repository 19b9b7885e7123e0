#!/usr/bin/python3
"""Uses CPU time in many parts of the interpreter and its libraries.

busy.py [TASKS]    without a number of tasks: until it is killed
"""
import ast
import bisect
import collections
import decimal
import difflib
import fractions
import hashlib
import heapq
import itertools
import json
import random
import re
import struct
import sys
import textwrap
import zlib

RNG = random.Random(1)
WORDS = ["".join(RNG.choices("abcdefghij", k=RNG.randrange(2, 9))) for _ in range(400)]
TEXT = " ".join(WORDS)
SOURCE = "".join(f"def f{i}(x, y={i}):\n    return [x * y for z in range({i}) if z]\n"
                 for i in range(30))


def parse_and_compile():
    compile(ast.unparse(ast.parse(SOURCE)), "<busy>", "exec")


def numbers():
    decimal.Decimal(2).sqrt(decimal.Context(prec=200))
    sum(fractions.Fraction(1, n) for n in range(1, 60))
    pow(7, 3 ** 400, 10 ** 300)


def texts():
    re.findall(r"([a-e]+)([f-j]*)", TEXT)
    re.sub(r"\b(\w)(\w*)", r"\2\1", TEXT)
    textwrap.wrap(TEXT, 40)
    difflib.SequenceMatcher(None, WORDS[:60], WORDS[30:90]).ratio()
    TEXT.encode("utf-16").decode("utf-16").upper().split()


def containers():
    collections.Counter(TEXT).most_common()
    heapq.nsmallest(20, WORDS)
    ordered = sorted(WORDS, key=len)
    bisect.insort(ordered, "zz", key=str)
    list(itertools.islice(itertools.permutations(range(7)), 2000))
    {word: set(word) for word in WORDS}


def encodings():
    document = json.dumps({word: [len(word), word[::-1], len(word) / 7] for word in WORDS})
    json.loads(document)
    zlib.decompress(zlib.compress(document.encode()))
    for name in ("md5", "sha1", "sha256", "sha3_256", "blake2b"):
        hashlib.new(name, document.encode()).hexdigest()
    struct.unpack("<400d", struct.pack("<400d", *range(400)))


def recurse(depth):
    return depth and 1 + recurse(depth - 1)


TASKS = itertools.cycle((parse_and_compile, numbers, texts, containers, encodings))
for task in itertools.islice(TASKS, int(sys.argv[1])) if sys.argv[1:] else TASKS:
    task()
    recurse(RNG.randrange(200))
