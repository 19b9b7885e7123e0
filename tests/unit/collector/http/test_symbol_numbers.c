// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/symbol_numbers.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>

#include "http/symbol_numbers.h"

/* Reads a copy of just the bytes, so that ASan sees one read too many. */
static void assert_numbers(const char *text, size_t len, const uint64_t *want, int end)
{
	char *copy = malloc(len + !len);
	const char *at = copy;
	uint64_t address;
	int more;

	memcpy(copy, text, len);
	while ((more = symbol_numbers_next(&at, copy + len, &address)) > 0)
		assert_int_equal(address, *want++);
	assert_int_equal(*want, 0);
	assert_int_equal(more, end);
	free(copy);
}

static void test_forms(void **state)
{
	(void)state;
	assert_numbers("0x1f+017+15", 11, (uint64_t[]){ 31, 15, 15, 0 }, 0);
	assert_numbers("0XFF 1", 6, (uint64_t[]){ 255, 1, 0 }, 0);
	assert_numbers("0xffffffffffffffff", 18, (uint64_t[]){ UINT64_MAX, 0 }, 0);
	assert_numbers("", 0, (uint64_t[]){ 0 }, 0);
}

static void test_others_are_left_out(void **state)
{
	(void)state;
	assert_numbers("+++2+", 5, (uint64_t[]){ 2, 0 }, 0);
	assert_numbers("0+x+-1+1x+0x+08+3", 17, (uint64_t[]){ 3, 0 }, 0);
	assert_numbers("0x10000000000000000+4", 21, (uint64_t[]){ 4, 0 }, 0);
	assert_numbers("1\0+5", 4, (uint64_t[]){ 5, 0 }, 0);
}

/* A word of 4,095 bytes is read, and a longer one ends the text. */
static void test_long_words(void **state)
{
	char text[5000];

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text + 4095, "+7", 2);
	assert_numbers(text, 4097, (uint64_t[]){ 7, 0 }, 0);
	text[4095] = 'x';
	text[4096] = '+';
	assert_numbers(text, 4100, (uint64_t[]){ 0 }, -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_others_are_left_out),
		cmocka_unit_test(test_long_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
