// SPDX-License-Identifier: GPL-2.0
/* Exceptions past frames with destructors, rethrown, in a std::thread. */
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define KEEP	__attribute__((noipa))

namespace {

int sum;

struct counted {
	explicit counted(int n) : text(std::to_string(n)) { }
	~counted() { sum += text.size(); }
	std::string text;
};

KEEP void descend(int n)
{
	counted c(n);

	if (!n)
		throw std::runtime_error(c.text);
	descend(n - 1);
	sum++;
}

KEEP void rethrow(int n)
{
	try {
		descend(n);
	} catch (const std::logic_error &) {
		sum = -1;
	} catch (...) {
		counted c(n);

		throw;
	}
}

KEEP void nest()
{
	try {
		descend(2);
	} catch (const std::exception &) {
		try {
			(void)std::vector<int>().at(3);
		} catch (const std::out_of_range &e) {
			sum += e.what()[0];
		}
	}
}

KEEP void all()
{
	for (int i = 0; i < 3; i++) {
		try {
			rethrow(i);
		} catch (const std::exception &e) {
			sum += std::string(e.what()).size();
		}
	}
	nest();
}

} // namespace

int main()
{
	all();
	std::thread(all).join();
	return sum < 0;
}
