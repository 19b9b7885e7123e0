# SPDX-License-Identifier: GPL-2.0
# Generics, closures, methods, templates, iterators.
import std/[sequtils, tables, os]

type
  Ring[T] = object
    slots: array[4, T]
    at: int
  Shape = ref object of RootObj
  Circle = ref object of Shape
    r: float

proc put[T](self: var Ring[T], x: T) {.noinline.} =
  self.slots[self.at mod 4] = x
  inc self.at

method area(s: Shape): float {.base.} = 0.0
method area(c: Circle): float = c.r * c.r * 3

proc twice(x: int): int {.inline.} = x * 2

proc step(x: int): int {.noinline.} = twice(x) + 1
proc step(x: float): int {.noinline.} = int(x) - 1

iterator some(n: int): int =
  for i in 0 ..< n:
    yield twice(i)

proc adder(n: int): proc (x: int): int = (proc (x: int): int = x + n)

var r: Ring[int]
var f: Ring[float]
var counts = initTable[string, int]()
for i in some(9):
  r.put(step(i) + adder(paramCount())(i))
  f.put(Circle(r: float(i)).area)
  counts.mgetOrPut($i, 0).inc
echo r, f, counts.len, toSeq(1 .. 5).filterIt(it mod 2 == 1), step(2.5)
