// SPDX-License-Identifier: GPL-2.0
/* Linked with first.cc: an unnamed namespace with functions of the same names. */
#include <functional>
#include <memory>
#include <string>

#include "both.hh"

namespace {

struct table {
	std::unique_ptr<std::string> name = std::make_unique<std::string>("second");
	int get(const std::string &key) const { return key == *name; }
};

table global;

__attribute__((noinline)) int step(int x)
{
	return twice(x) - 1;
}

} // namespace

int second(int x)
{
	std::function<int(int)> f = [x](int y) { return step(x) + twice(y); };

	return f(global.get("second"));
}
