// SPDX-License-Identifier: GPL-2.0
// sources: collector/elf/kernel_notes.c collector/elf/build_id.c collector/elf/validate.c
// sources: collector/base/regular_file.c
// libs: -lelf -lz -llzma
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "elf/kernel_notes.h"

static const uint8_t id[BUILD_ID_MAX_BYTES + 4] = { 0x12, 0x34, 0xab, 0xcd, 0xef };

/* Appends a note, and returns the end of it. */
static uint8_t *add(uint8_t *at, uint32_t type, const char *name, uint32_t size)
{
	Elf64_Nhdr note = { .n_namesz = strlen(name) + 1, .n_descsz = size, .n_type = type };

	memcpy(at, &note, sizeof(note));
	at += sizeof(note);
	memcpy(at, name, note.n_namesz);
	at += (note.n_namesz + 3) / 4 * 4;
	memcpy(at, id, size);
	return at + (size + 3) / 4 * 4;
}

/* In memory of its own, so that ASan knows its end. */
static const char *find(const uint8_t *notes, size_t bytes)
{
	static char hex[BUILD_ID_HEX_SIZE];
	uint8_t *copy = malloc(bytes ? bytes : 1);

	assert_non_null(copy);
	memcpy(copy, notes, bytes);
	strcpy(hex, "old");
	kernel_notes_find(copy, bytes, hex);
	free(copy);
	return hex;
}

static void test_the_build_id(void **state)
{
	uint8_t notes[1024] = { 0 }, *end;

	(void)state;
	end = add(notes, NT_GNU_BUILD_ID, "Xen", 4);
	end = add(end, 5, ELF_NOTE_GNU, 4);
	end = add(end, NT_GNU_BUILD_ID, ELF_NOTE_GNU, 5);
	end = add(end, NT_GNU_BUILD_ID, ELF_NOTE_GNU, 4);
	assert_string_equal(find(notes, end - notes), "1234abcdef");
}

/* Fails if a size leads behind the notes, also if its sum with another one is over 32 bits. */
static void test_bad_notes(void **state)
{
	static const uint32_t sizes[] = { 21, 1000, 0x7fffffff, 0xfffffffd, UINT32_MAX };
	uint8_t notes[1024] = { 0 }, *end = add(notes, NT_GNU_BUILD_ID, ELF_NOTE_GNU, 20);

	(void)state;
	for (size_t bytes = 0; bytes < (size_t)(end - notes); bytes++)
		assert_string_equal(find(notes, bytes), "");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		memcpy(notes, &sizes[i], 4);
		assert_string_equal(find(notes, end - notes), "");
		memcpy(notes, &(uint32_t){ 4 }, 4);
		memcpy(notes + 4, &sizes[i], 4);
		assert_string_equal(find(notes, end - notes), "");
		memcpy(notes + 4, &(uint32_t){ 20 }, 4);
	}
	assert_int_equal(strlen(find(notes, end - notes)), 40);
	end = add(notes, NT_GNU_BUILD_ID, ELF_NOTE_GNU, BUILD_ID_MAX_BYTES + 4);
	assert_string_equal(find(notes, end - notes), "");
}

/* Every kernel has notes below /sys, but a container may not. */
static void test_the_running_kernel(void **state)
{
	char hex[BUILD_ID_HEX_SIZE] = "old";

	(void)state;
	kernel_notes_build_id(NULL, hex);
	assert_true(!hex[0] || strlen(hex) >= 32);
	kernel_notes_build_id("no such module", hex);
	assert_string_equal(hex, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_build_id),
		cmocka_unit_test(test_bad_notes),
		cmocka_unit_test(test_the_running_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
