// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/address_profile.c collector/formats/frame_patterns.c
// sources: collector/formats/function_set.c collector/formats/go_comments.c
// sources: collector/formats/heap_sampling.c collector/formats/java_names.c
// sources: collector/formats/line_reader.c collector/formats/memory_map.c
// sources: collector/formats/perf_script_line.c collector/formats/perf_script_stack.c
// sources: collector/formats/profile_file.c collector/formats/read_contention.c
// sources: collector/formats/read_count.c collector/formats/read_cpu.c
// sources: collector/formats/read_folded.c collector/formats/read_heap.c
// sources: collector/formats/read_java.c collector/formats/read_perf_script.c
// sources: collector/formats/read_threads.c
// sources: collector/pprof/decode.c collector/pprof/decode_message.c
// sources: collector/arch/x86/packed_ids.c
// sources: collector/pprof/decode_sample.c
// sources: collector/pprof/decode_references.c collector/pprof/encode.c collector/pprof/id_space.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/profile_input.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// sources: collector/pprof/protobuf.c collector/base/span_set.c collector/base/string_table.c
// sources: collector/base/tuple_map.c
// libs: -lz -lisal -lxxhash -lm
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <zlib.h>

#include "formats/profile_file.h"
#include "memory_sink.h"
#include "pprof/decode_facts.h"
#include "pprof/encode.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"

static struct profile_fault fault;
static char path[32];

static int make_file(void **state)
{
	(void)state;
	strcpy(path, "/tmp/test_profile_file.XXXXXX");
	return close(mkstemp(path));
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_file(const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

static void write_gzip(const void *data, size_t len)
{
	gzFile file = gzopen(path, "wb");

	assert_int_equal(gzwrite(file, data, len), len);
	gzclose(file);
}

/* Reads the file. Returns: the name of the last sample type, or the fault. */
static const char *read_file(const char *name)
{
	static char type[64];
	struct decode_facts facts = { 0 };
	struct model *m;

	if (profile_file_read(name, PROFILE_INPUT_MAX_BYTES, &m, &facts, &fault))
		return fault.text;
	assert_true(facts.nr_bytes > 0);
	snprintf(type, sizeof(type), "%s",
		 model_string(m, m->sample_types.items[m->sample_types.nr - 1].type));
	model_free(m);
	return type;
}

static void assert_reads(const void *data, size_t len, const char *type)
{
	write_file(data, len);
	assert_string_equal(read_file(path), type);
	write_gzip(data, len);
	assert_string_equal(read_file(path), type);
}

static void test_each_format(void **state)
{
	static const char cpu[] = "\0\0\0\0\3\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0";
	static const struct {
		const char *text;
		const char *type;
	} cases[] = {
		{ "heap profile: 1: 2 [1: 2] @ growth\n", "space" },
		{ "goroutine profile: total 0\n", "goroutine" },
		{ "--- threadz 1 ---\n--- Memory map: ---\n", "thread" },
		{ "--- mutex:\n", "delay" },
		{ "--- contentionz 1 ---\nsampling period = 1\n", "delay" },
		{ "--- contentionz 1 ---\nformat = java\nresolution = us\n", "delay" },
		{ "--- heapz 1 ---\nresolution = bytes\n", "inuse_space" },
		{ "main;f 12\n", "samples" },
		{ "bash 1 2.0: 1 cycles:\n", "cycles" },
	};

	(void)state;
	assert_reads(cpu, sizeof(cpu) - 1, "cpu");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_reads(cases[i].text, strlen(cases[i].text), cases[i].type);
}

/* Makes a profile.proto whose comment is the head of a text format. */
static void test_proto(void **state)
{
	static const char comment[] = "goroutine profile: total 1\n"
				      "heap profile: 1: 2 [1: 2] @ growth";
	static struct memory_sink sink;
	struct model *m = model_new();
	struct model_value_type type = { 0 };

	(void)state;
	type.type = model_add_string(m, "wall", 4);
	model_add_sample_type(m, &type);
	model_add_comment(m, model_add_string(m, comment, strlen(comment)));
	assert_int_equal(encode_profile(m, memory_sink_write, &sink), 0);
	model_free(m);
	assert_reads(sink.data, sink.len, "wall");
	write_file(sink.data, sink.len - 1);
	read_file(path);
	assert_true(fault.offset < sink.len);
	/* Text behind it is a fault of its own. */
	memcpy(sink.data + sink.len, "main;f 12\n", 10);
	write_file(sink.data, sink.len + 10);
	read_file(path);
	assert_true(fault.offset >= sink.len && fault.offset < sink.len + 10);
}

static void test_standard_input(void **state)
{
	int saved = dup(STDIN_FILENO), fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "main;f 12\n", 10), 10);
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	assert_string_equal(read_file("-"), "samples");
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(fds[0]);
}

/* The line that shows the format is longer than a head, and stands behind many comments. */
static void test_long_heads(void **state)
{
	size_t len = 3 << 20;
	char *text = malloc(len);

	(void)state;
	memset(text, 'a', len);
	memcpy(text + len - 4, " 12\n", 4);
	assert_reads(text, len, "samples");
	text[0] = '#';
	text[1 << 20] = '\n';
	assert_reads(text, len, "samples");
	text[0] = 'a';
	write_file(text, len);
	assert_non_null(strstr(read_file(path), "found text of another format"));
	free(text);
}

static void assert_fault(const char *data, size_t len, const char *want)
{
	write_file(data, len);
	if (!strstr(read_file(path), want))
		fail_msg("\"%s\" instead of \"%s\"", fault.text, want);
}

static void test_faults(void **state)
{
	(void)state;
	assert_fault("", 0, "found no data");
	assert_fault("PERFILE2\0\1", 10, "found perf.data: read the output of perf script");
	assert_fault("root:x:0:0:\n", 12, "found text of another format");
	assert_fault("\x7f" "ELF\1\0", 6, "found data of another format");
	assert_fault("\x0a\x05", 2, "expected 5 bytes of field 1");
	assert_fault("main;f 12\ngoroutine profile: total 1\n1 @ 0x1\n", 46, "line 3: expected");
	assert_fault("goroutine profile: total 1\nmain;f 12\n", 37, "line 2: expected 'COUNT");
	assert_fault("main;f 12\nmain\0;g", 17, "line 2: expected");
	assert_int_equal(fault.offset, PROFILE_FAULT_NO_OFFSET);
	unlink(path);
	assert_non_null(strstr(read_file(path), "No such file"));
	close(open(path, O_CREAT | O_WRONLY, 0600));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_format),
		cmocka_unit_test(test_proto),
		cmocka_unit_test(test_standard_input),
		cmocka_unit_test(test_long_heads),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
