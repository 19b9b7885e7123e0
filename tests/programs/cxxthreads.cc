// SPDX-License-Identifier: GPL-2.0
/*
 * Creates COUNT threads by std::thread, half of them in here() and half in there(). Prints
 * nothing: the truth is COUNT.
 *
 *	cxxthreads COUNT	(an even number)
 */
#include <thread>

#include "program.h"

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
	settle();
	for (uint64_t left = arg_count(argv[1]) / 2; left; left--) {
		here();
		there();
	}
	return 0;
}
