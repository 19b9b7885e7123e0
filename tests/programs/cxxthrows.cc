// SPDX-License-Identifier: GPL-2.0
// Makes operator new fail in five ways, 1,000 times each, and allocates with success in
// between. Prints failed, the number of failures that came out as C++ demands: 5000.
//
//	cxxthrows
//	cxxthrows
#include <cstdio>
#include <new>
#include <sys/resource.h>

namespace {

const int nr = 1000;
const std::size_t too_much = 8UL << 30;
int failed;

struct Ours {};

__attribute__((noinline)) void *make(std::size_t bytes)
{
	char *object = new char[bytes];

	__asm__ volatile("" : : "r"(object) : "memory");
	return object;
}

__attribute__((noinline)) void *make_quietly(std::size_t bytes)
{
	return new (std::nothrow) char[bytes];
}

__attribute__((noinline)) void *make_aligned(std::size_t bytes)
{
	return ::operator new(bytes, std::align_val_t(128));
}

void give_up()
{
	throw Ours();
}

// A new-handler that returns: operator new tries again, fails, and finds no handler.
void try_again()
{
	std::set_new_handler(nullptr);
}

template <typename Exception, typename Make> void fail(Make make)
{
	try {
		make(too_much);
	} catch (const Exception &) {
		failed++;
	}
}

} // namespace

int main()
{
	const struct rlimit limit = { 4UL << 30, 4UL << 30 };

	if (setrlimit(RLIMIT_AS, &limit))
		return 1;
	for (int i = 0; i < nr; i++) {
		fail<std::bad_alloc>(make);
		fail<std::bad_alloc>(make_aligned);
		failed += !make_quietly(too_much);
		std::set_new_handler(give_up);
		fail<Ours>(make);
		std::set_new_handler(try_again);
		fail<std::bad_alloc>(make);
		std::set_new_handler(nullptr);
		::operator delete[](make(100));
	}
	std::printf("failed=%d\n", failed);
	return failed != 5 * nr;
}
