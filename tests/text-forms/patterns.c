// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/frame_filter.c collector/base/utf8.c
/* Prints NR made-up patterns that frame_filter_check() takes, one a line. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "pprof/frame_filter.h"

/* What has a meaning, and what gets one from it. */
static const char characters[] = "()[]{}|*+?.^$\\-,:=!<>PQEbdwa019zi&~#";

static uint32_t noise(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return state >> 8;
}

int main(int argc, char **argv)
{
	long left = argc == 2 ? atol(argv[1]) : 0;
	char pattern[16];
	int len;

	while (left > 0) {
		len = 1 + noise() % (sizeof(pattern) - 1);
		pattern[len] = 0;
		while (len)
			pattern[--len] = characters[noise() % (sizeof(characters) - 1)];
		if (frame_filter_check(pattern))
			continue;
		puts(pattern);
		left--;
	}
	return 0;
}
