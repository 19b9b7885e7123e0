// SPDX-License-Identifier: GPL-2.0
/* What makes names hard in C++. second.cc has functions of the same names. */
#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "both.hh"

namespace {

struct table {
	std::map<std::string, int> values;
	table() { values["one"] = 1; }
	~table() { std::printf("%zu\n", values.size()); }
	int get(const std::string &key) const;
};

__attribute__((noinline)) int table::get(const std::string &key) const
{
	auto found = values.find(key);

	if (found == values.end())
		throw std::out_of_range("no " + key);
	return found->second;
}

table global;
thread_local std::vector<int> seen;

__attribute__((noinline)) int step(int x)
{
	seen.push_back(x);
	return twice(x) + 1;
}

} // namespace

namespace outer {
inline namespace v1 {

template <typename T, int N> struct ring {
	T slots[N] = {};
	__attribute__((noinline)) void put(T value) { slots[at++ % N] = value; }
	template <typename F> int count(F f) const { return std::count_if(slots, slots + N, f); }
	ring &operator+=(T value) { put(value); return *this; }
	int at = 0;
};

} // namespace v1
} // namespace outer

struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
};

struct circle : shape {
	double r;
	explicit circle(double radius) : r(radius) {}
	double area() const override { return r * r * 3; }
	operator double() const { return area(); }
};

static int sort_some(int nr)
{
	std::vector<int> v;
	int swaps = 0;

	for (int i = 0; i < nr; i++)
		v.push_back(step(i * 7919 % 13));
	std::sort(v.begin(), v.end(), [&](int a, int b) { swaps++; return a > b; });
	auto each = [](auto x) { return [x](int y) { return twice(x) + y; }; };
	return each(v.front())(each(2L)(swaps));
}

int main(int argc, char **)
{
	outer::ring<long, 4> r;
	circle c(argc);
	shape *s = new circle(2);
	struct local { static int run(int x) { return step(x) * 2; } };

	for (int i = 0; i < 9; i++)
		r += i;
	try {
		std::printf("%d\n", global.get("two"));
	} catch (const std::exception &e) {
		std::printf("%s\n", e.what());
	}
	std::printf("%d %d %d\n", sort_some(20), second(argc), local::run(argc));
	std::printf("%d %g %g\n", r.count([](long x) { return x > 6; }), double(c), s->area());
	delete s;
	return 0;
}
