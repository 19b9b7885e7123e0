// SPDX-License-Identifier: GPL-2.0
/*
 * Allocates by operator new and delete. Leak::grow leaks 5,000 objects; churn() allocates
 * 15,000 others and frees them. Prints alloc_objects, alloc_bytes, leak_objects and
 * leak_bytes. It starts to allocate after 0.9 s, when the tables of its libraries are loaded.
 *
 *	cxxallocs
 */
#include <cinttypes>
#include <cstdio>
#include <new>
#include <vector>

#include "program.h"

namespace {

constexpr int rounds = 5000;
uint64_t alloc_objects, alloc_bytes;

struct Small {
	char bytes[3000];
};

struct alignas(256) Aligned {
	char bytes[8192];
};

template <typename T>
T *count(T *object, uint64_t nr = 1)
{
	__asm__ volatile("" : "+r"(object));
	alloc_objects++;
	alloc_bytes += nr * sizeof(T);
	return object;
}

class Leak {
public:
	KEEP void grow()
	{
		for (int i = 0; i < rounds; i++)
			count(new Small);
	}
};

KEEP void churn()
{
	for (int i = 0; i < rounds; i++) {
		delete count(new Small);
		delete[] count(new char[20000], 20000);
		delete count(new (std::nothrow) Aligned);
	}
}

} // namespace

int main()
{
	Leak leak;

	for (int i = 0; i < 3; i++)
		settle();
	leak.grow();
	churn();
	printf("alloc_objects=%" PRIu64 "\nalloc_bytes=%" PRIu64 "\nleak_objects=%d\nleak_bytes=%zu\n",
	       alloc_objects, alloc_bytes, rounds, rounds * sizeof(Small));
}
