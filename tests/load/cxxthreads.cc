// SPDX-License-Identifier: GPL-2.0
/*
 * Creates threads by std::thread, half of them in here() and half in there(). Not at
 * once: a profiler that reads tables needs them of all libraries, and it sees those when
 * they are mapped.
 *
 *	cxxthreads COUNT	(an even number)
 */
#include <chrono>
#include <thread>

#include "load.h"

static KEEP void here()
{
	std::thread([] { }).join();
}

static KEEP void there()
{
	std::thread([] { }).join();
}

int main(int argc, char **argv)
{
	if (argc != 2)
		usage("cxxthreads COUNT");
	std::this_thread::sleep_for(std::chrono::milliseconds(300));
	for (uint64_t left = arg_count(argv[1]) / 2; left; left--) {
		here();
		there();
	}
	return 0;
}
