// SPDX-License-Identifier: GPL-2.0
/*
 * C++ names and inlined functions: ns::Widget<int>::work has inlined
 * ns::(anonymous namespace)::twice, which has inlined once<int>, which calls spin.
 * Prints cpu_ns, the CPU time of the process.
 *
 *	cxx SECONDS
 */
#include <cinttypes>

#include "program.h"

namespace ns {
namespace {

template <typename T>
inline __attribute__((always_inline)) void once(T iters)
{
	spin(iters);
}

inline __attribute__((always_inline)) void twice(int iters)
{
	once(iters);
	once(iters);
}

} // namespace

template <typename T>
class Widget {
public:
	explicit Widget(T iters) : iters_(iters) { }
	void work(uint64_t end_ns);

private:
	T iters_;
};

template <typename T>
KEEP void Widget<T>::work(uint64_t end_ns)
{
	while (cpu_ns() < end_ns)
		twice(iters_);
}

} // namespace ns

int main(int argc, char **argv)
{
	if (argc != 2)
		usage("cxx SECONDS");

	ns::Widget<int> widget(SLICE);

	widget.work(cpu_ns() + arg_seconds(argv[1]));
	printf("cpu_ns=%" PRIu64 "\n", cpu_ns());
	return 0;
}
