// SPDX-License-Identifier: GPL-2.0
// Templates, delegates, nested functions, classes, a module constructor.
module main;

import std.algorithm : map, filter, sum;
import std.array : array;
import std.stdio : writeln;

struct Ring(T, size_t n)
{
    T[n] slots;
    size_t at;
    pragma(inline, false) void put(T x) { slots[at++ % n] = x; }
    T opIndex(size_t i) const { return slots[i % n]; }
}

interface Shape { double area() const; }

class Circle : Shape
{
    private double r;
    this(double radius) { r = radius; }
    override double area() const { return r * r * 3; }
    override string toString() const { return "circle"; }
}

T twice(T)(T x) { return cast(T)(x * 2); }

pragma(inline, false) int apply(int delegate(int) f, int n)
{
    int total;
    foreach (i; 0 .. n)
        total += f(i);
    return total;
}

int counter; // thread-local

shared static this() { counter = 1; }

unittest { assert(twice(2) == 4); }

void main(string[] args)
{
    int extra = cast(int) args.length;
    int nested(int x) { return twice(x) + extra; }
    Ring!(int, 4) r;
    Shape s = new Circle(2);
    foreach (i; 0 .. 9)
        r.put(nested(i));
    writeln(apply(&nested, 3), " ", apply(x => x * extra, 4), " ", r[2], " ", s.area(), " ", s);
    writeln([1, 2, 3].map!(x => twice(x)).filter!(x => x > extra).array.sum);
}
