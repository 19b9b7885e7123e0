// SPDX-License-Identifier: GPL-2.0
/*
 * What operator new and delete allocate, in C++: half of it is leaked, by Leak::grow.
 * It begins a second after its start, when its libraries' tables are there.
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
