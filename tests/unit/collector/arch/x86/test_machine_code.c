// SPDX-License-Identifier: GPL-2.0
// sources: collector/arch/x86/machine_code.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "arch/machine_code.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))
#define ADDR		UINT64_C(0x4000)

/* Bytes of code. The assembler's names of the instructions are in the comments of the tables. */
struct code {
	uint8_t bytes[ARCH_ENTRY_BYTES];
	size_t nr;
};

#define CODE(...)	{ { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }) }

/* A copy that has no byte behind it, so that the sanitizer sees a read beyond the end. */
static uint8_t *copy(const struct code *code, size_t nr)
{
	uint8_t *bytes = malloc(nr ? nr : 1);

	memcpy(bytes, code->bytes, nr);
	return bytes;
}

static void test_jumps(void **state)
{
	static const struct {
		struct code code;
		uint64_t target;
	} cases[] = {
		{ CODE(0xe9, 0x10, 0, 0, 0), ADDR + 0x15 }, /* jmp */
		{ CODE(0xe9, 0xf0, 0xff, 0xff, 0xff), ADDR - 0xb }, /* jmp, back */
		{ CODE(0xf2, 0xe9, 0x10, 0, 0, 0), ADDR + 0x16 }, /* bnd jmp */
		{ CODE(0xf3, 0x0f, 0x1e, 0xfa, 0xe9, 1, 0, 0, 0), ADDR + 10 }, /* endbr64; jmp */
		{ CODE(0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xe9, 1, 0, 0, 0), ADDR + 11 }, /* both */
		{ CODE(0xff, 0x25, 1, 2, 3, 4), UINT64_MAX }, /* jmp *0x4030201(%rip) */
		{ CODE(0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 1, 2, 3, 4), UINT64_MAX },
		{ CODE(0xff, 0x35, 1, 2, 3, 4), ADDR }, /* push 0x4030201(%rip) */
		{ CODE(0x55, 0x48, 0x89, 0xe5, 0xc3), ADDR }, /* push %rbp ... */
		{ CODE(0xf2, 0xf2, 0xf2, 0xf2, 0xf2, 0xf2, 0xf2, 0xf2, 0xe9, 1, 0, 0, 0), ADDR },
		{ CODE(0xe9, 0x10, 0, 0), UINT64_MAX }, /* cut off */
		{ CODE(0xf3, 0x0f, 0x1e, 0xfa, 0xe9, 1, 0, 0), UINT64_MAX },
	};
	uint8_t *bytes;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		bytes = copy(&cases[i].code, cases[i].code.nr);
		assert_int_equal(arch_jump_target(bytes, cases[i].code.nr, ADDR), cases[i].target);
		free(bytes);
	}
	assert_int_equal(arch_jump_target(NULL, 0, ADDR), UINT64_MAX);
}

static void test_cheap_probes(void **state)
{
	static const struct {
		struct code code;
		size_t offset;
	} cases[] = {
		{ CODE(0x48, 0x85, 0xff, 0x74, 0x10), 3 },	/* test %rdi,%rdi; je */
		{ CODE(0x48, 0x85, 0xff, 0x0f, 0x84), 3 },	/* the long je */
		{ CODE(0x48, 0x85, 0xff, 0x0f, 0x85), 0 },	/* jne */
		{ CODE(0x48, 0x85, 0xf6, 0x74, 0x10), 0 },	/* test %rsi,%rsi */
		{ CODE(0x48, 0x85, 0xff, 0x74), 0 },		/* cut off */
		{ CODE(0x55, 0x48, 0x89, 0xe5, 0x53), 0 },
	};
	uint8_t *bytes;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		bytes = copy(&cases[i].code, cases[i].code.nr);
		assert_int_equal(arch_cheap_probe(bytes, cases[i].code.nr), cases[i].offset);
		free(bytes);
	}
}

static void test_plt_slots(void **state)
{
	static const struct {
		struct code code;
		uint64_t slot;
	} cases[] = {
		{ CODE(0xff, 0x25, 0x10, 0, 0, 0), ADDR + 0x16 },
		{ CODE(0xf2, 0xff, 0x25, 0x10, 0, 0, 0), ADDR + 0x17 },
		{ CODE(0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0xf0, 0xff, 0xff, 0xff), ADDR - 6 },
		{ CODE(0xff, 0x35, 0x10, 0, 0, 0), 0 },		/* the first entry: push */
		{ CODE(0xff, 0x25, 0x10, 0, 0), 0 },		/* cut off */
	};
	uint8_t *bytes;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		bytes = copy(&cases[i].code, cases[i].code.nr);
		assert_int_equal(arch_plt_slot(bytes, cases[i].code.nr, ADDR), cases[i].slot);
		free(bytes);
	}
}

static void test_nops(void **state)
{
	static const struct {
		struct code code;
		size_t nr;
	} cases[] = {
		{ CODE(0x90, 0x90), 1 },
		{ CODE(0x66, 0x90), 2 },
		{ CODE(0x0f, 0x1f, 0x00, 0x90), 3 },		/* nopl (%rax) */
		{ CODE(0x0f, 0x1f, 0x44, 0x00, 0x00), 5 },	/* nopl 0(%rax,%rax,1) */
		{ CODE(0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0), 10 },
		{ CODE(0x0f, 0x1f, 0x84, 0, 0), 5 },		/* its operand is cut off */
		{ CODE(0xc3), 0 },
		{ CODE(0x0f, 0x05), 0 },
	};
	uint8_t *bytes;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		bytes = copy(&cases[i].code, cases[i].code.nr);
		assert_int_equal(arch_nop_bytes(bytes, cases[i].code.nr), cases[i].nr);
		free(bytes);
	}
}

/* mov %r8,%rsp; mov %r9,%rbp: longjmp() of glibc */
static void test_stack_switch(void **state)
{
	static const uint8_t code[] = { 0x90, 0x4c, 0x89, 0xc4, 0x4c, 0x89, 0xcd, 0xff, 0xe2 };

	(void)state;
	assert_int_equal(arch_find_stack_switch(code, sizeof(code), 8, 9), 4);
	assert_int_equal(arch_find_stack_switch(code, sizeof(code), 9, 8), 0);
	assert_int_equal(arch_find_stack_switch(code, 6, 8, 9), 0);
	assert_int_equal(arch_find_stack_switch(code, sizeof(code), 7, 9), 0);
	assert_true(arch_ends_with_stack_switch(code, 4));
	assert_false(arch_ends_with_stack_switch(code, 7));
	assert_false(arch_ends_with_stack_switch(code, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_cheap_probes),
		cmocka_unit_test(test_plt_slots),
		cmocka_unit_test(test_nops),
		cmocka_unit_test(test_stack_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
