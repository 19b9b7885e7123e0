// SPDX-License-Identifier: GPL-2.0
// Has an operator new of its own, which takes 0.2 s and then throws. A heap profile that
// awaits its return may have ended by then. It does so until standard input ends. Prints
// thrown and caught, the numbers of exceptions, which are equal.
//
//	cxxwaits
//	cxxwaits
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <poll.h>

namespace {

const std::size_t slow = 2UL << 20;
const std::size_t pool_bytes = 16UL << 20;

alignas(64) char pool[pool_bytes];
std::size_t used;
int thrown;

void *take(std::size_t bytes)
{
	std::size_t at = __atomic_fetch_add(&used, (bytes + 63) & ~63UL, __ATOMIC_RELAXED);

	return bytes < slow && at + bytes <= pool_bytes ? pool + at : nullptr;
}

} // namespace

extern "C" {

__attribute__((noinline)) void *malloc(std::size_t bytes)
{
	return take(bytes);
}

__attribute__((noinline)) void free(void *object)
{
	__asm__ volatile("" : : "r"(object) : "memory");
}

// By this symbol the collector knows an allocator whose operators do not call malloc().
void *mallocx(std::size_t bytes, int flags);

__attribute__((noinline)) void *mallocx(std::size_t bytes, int flags)
{
	return flags ? nullptr : take(bytes);
}

} // extern "C"

__attribute__((noinline)) void *operator new(std::size_t bytes)
{
	const struct timespec pause = { 0, 200000000 };
	void *object = take(bytes);

	if (object)
		return object;
	nanosleep(&pause, nullptr);
	if (std::get_new_handler())
		std::abort();
	thrown++;
	throw std::bad_alloc();
}

void operator delete(void *object) noexcept
{
	free(object);
}

void operator delete(void *object, std::size_t) noexcept
{
	free(object);
}

static __attribute__((noinline)) void *make(std::size_t bytes)
{
	char *object = new char[bytes];

	__asm__ volatile("" : : "r"(object) : "memory");
	return object;
}

int main()
{
	struct pollfd input = { 0, POLLIN, 0 };
	int caught = 0;

	do {
		try {
			make(slow);
		} catch (const std::bad_alloc &) {
			caught++;
		}
	} while (!poll(&input, 1, 0));
	std::printf("thrown=%d\ncaught=%d\n", thrown, caught);
}
