// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/firefox_writer.c collector/formats/firefox_threads.c
// sources: collector/formats/call_tree.c collector/formats/named_frames.c
// sources: collector/pprof/frame_name.c collector/pprof/value_unit.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/base/span_set.c
// sources: collector/base/string_table.c collector/base/tuple_map.c collector/base/utf8.c
// sources: collector/base/json.c
// libs: -lxxhash -lm
/* tests/profiles/convert.t lets the Firefox Profiler itself read such files. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "formats/firefox_writer.h"
#include "written.h"

#define META(interval, start, product, more)						\
	"{\"meta\":{\"interval\":" interval ",\"startTime\":" start ",\"processType\":0,"	\
	"\"product\":\"" product "\",\"importedFrom\":\"pprof\",\"stackwalk\":1,\"version\":36,"	\
	"\"preprocessedProfileVersion\":70,\"symbolicated\":true,\"markerSchema\":[],"	\
	"\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true," more	\
	"\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}," \
	"{\"name\":\"Native\",\"color\":\"blue\",\"subcategories\":[\"Other\"]}]},\n"	\
	"\"libs\":[],\n"

#define EMPTY_SHARED	"\"shared\":{\n"							\
	"\"stackTable\":{\"frame\":[],\"prefixOffset\":[],\"length\":0},\n"		\
	"\"frameTable\":{\"address\":[],\"lib\":[],\"inlineDepth\":[],\"category\":[],"	\
	"\"subcategory\":[],\"func\":[],\"nativeSymbol\":[],\"innerWindowID\":[],"	\
	"\"line\":[],\"column\":[],\"originalLocation\":[],\"length\":0},\n"		\
	"\"funcTable\":{\"name\":[],\"isJS\":[],\"relevantForJS\":[],\"resource\":[],"	\
	"\"source\":[],\"lineNumber\":[],\"columnNumber\":[],\"originalLocation\":[],"	\
	"\"length\":0},\n"								\
	"\"resourceTable\":{\"name\":[],\"host\":[],\"type\":[],\"length\":0},\n"		\
	NO_SYMBOLS									\
	"\"sources\":{\"id\":[],\"filename\":[],\"startLine\":[],\"startColumn\":[],"	\
	"\"sourceMapURL\":[],\"content\":[],\"length\":0},\n" NO_SOURCE_LOCATIONS	\
	"\"stringArray\":[\"\"]},\n"

#define NO_SYMBOLS	"\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[]," \
	"\"functionSize\":[],\"length\":0},\n"

#define NO_SOURCE_LOCATIONS	"\"sourceLocationTable\":{\"source\":[],\"line\":[],"	\
	"\"column\":[],\"length\":0},\n"

#define THREAD(name, process, main_, pid, tid, samples)					\
	"{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"	\
	"\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"name\":\"" name "\","	\
	"\"processName\":\"" process "\",\"isMainThread\":" main_ ",\"pid\":\"" pid "\","	\
	"\"tid\":" tid ",\n\"samples\":{" samples "},\n\"markers\":{\"data\":[],\"name\":[]," \
	"\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[],\"length\":0}}"

/* Adds a sample of a thread of the process "proc". */
static void add_labelled(struct model *m, uint32_t location, int64_t value, int64_t pid,
			 int64_t tid, const char *thread)
{
	struct model_label labels[] = {
		{ .key = add_text(m, "pid"), .num = pid, .is_number = 1 },
		{ .key = add_text(m, "tid"), .num = tid, .is_number = 1 },
		{ .key = add_text(m, "thread"), .str = add_text(m, thread) },
		{ .key = add_text(m, "comm"), .str = add_text(m, "proc") },
	};
	struct model_sample s = {
		.stack = model_add_stack(m, &location, 1),
		.label_set = model_add_label_set(m, labels, 4),
	};

	assert_int_equal(model_add_sample(m, &s, (int64_t[]){ value, 0 }), 0);
}

static void test_file(void **state)
{
	struct model *m = new_model();
	uint32_t a = add_location(m, "a\"\xFF", "/bin/p"), b = add_location(m, "in<-out", "/bin/p");
	uint32_t lost = add_location(m, "lostProfileEvent", NULL);

	(void)state;
	m->time_ns = 1700000000123000000;
	m->functions.items[0].start_line = 7;
	m->functions.items[3].file = 0;
	m->lines.items[1].line = 20;
	m->lines.items[1].column = 4;
	add_sample(m, (uint32_t[]){ b, a }, 2, 2, NULL, NULL);
	add_sample(m, &a, 1, 0, NULL, NULL);
	add_sample(m, &a, 1, -3, NULL, NULL);
	add_sample(m, &lost, 1, 1, NULL, NULL);
	add_sample(m, NULL, 0, 1, NULL, NULL);
	assert_written(firefox_write, m, 1, META("1", "1700000000123", "p", "")
		"\"shared\":{\n"
		"\"stackTable\":{\"frame\":[0,2,1,3],\"prefixOffset\":[0,1,1,0],\"length\":4},\n"
		"\"frameTable\":{\"address\":[-1,-1,-1,-1],\"lib\":[-1,-1,-1,-1],"
		"\"inlineDepth\":[0,1,0,0],\"category\":[1,1,1,0],\"subcategory\":[0,0,0,0],"
		"\"func\":[0,1,2,3],\"nativeSymbol\":[null,null,null,null],"
		"\"innerWindowID\":[null,null,null,null],\"line\":[null,20,null,null],"
		"\"column\":[null,4,null,null],\"originalLocation\":[null,null,null,null],"
		"\"length\":4},\n"
		"\"funcTable\":{\"name\":[2,3,4,5],\"isJS\":[false,false,false,false],"
		"\"relevantForJS\":[false,false,false,false],\"resource\":[0,0,0,-1],"
		"\"source\":[0,0,0,null],\"lineNumber\":[7,null,null,null],"
		"\"columnNumber\":[null,null,null,null],\"originalLocation\":[null,null,null,null],"
		"\"length\":4},\n"
		"\"resourceTable\":{\"name\":[1],\"host\":[null],\"type\":[1],\"length\":1},\n"
		NO_SYMBOLS
		"\"sources\":{\"id\":[null],\"filename\":[6],\"startLine\":[1],\"startColumn\":[1],"
		"\"sourceMapURL\":[null],\"content\":[null],\"length\":1},\n"
		NO_SOURCE_LOCATIONS
		"\"stringArray\":[\"\",\n\"p\",\n\"a\\\"" BAD "\",\n\"in\",\n\"out\",\n"
		"\"lostProfileEvent\",\n\"a.c\"]},\n\"threads\":[\n"
		THREAD("p", "p", "true", "0", "\"0\"", "\"stack\":[2,0,3,null],"
		       "\"time\":[0,0.002,0.005,0.006],\"weight\":[0.002,-0.003,0.001,0.001],"
		       "\"weightType\":\"tracing-ms\",\"length\":4")
		"]}\n");
	model_free(m);
}

static void test_empty_profile(void **state)
{
	struct model *m = new_model();

	(void)state;
	assert_written(firefox_write, m, 0, META("1", "0", "samples", "") EMPTY_SHARED
		"\"threads\":[\n"
		THREAD("samples", "samples", "true", "0", "\"0\"", "\"stack\":[],\"time\":[],"
		       "\"weight\":[],\"weightType\":\"samples\",\"length\":0")
		"]}\n");
	model_free(m);
}

/* Returns: the text from the first thread on. The caller frees *all. */
static const char *written_threads(const struct model *m, uint32_t type, char **all)
{
	const char *at;
	size_t len;
	int err;

	*all = write_model(firefox_write, m, type, &len, &err);
	assert_int_equal(err, 0);
	at = strstr(*all, "\"threads\":[");
	assert_non_null(at);
	return at;
}

/* A thread keeps its tid and changes its name. A sample stands for the period. */
static void test_threads(void **state)
{
	struct model *m = new_model();
	uint32_t a = add_location(m, "a", NULL);
	char *all;

	(void)state;
	m->period_type = m->sample_types.items[1];
	m->period = 10000000;
	add_labelled(m, a, 2, 5, 6, "worker");
	add_labelled(m, a, 1, 5, 5, "main");
	add_labelled(m, a, INT64_MAX, 5, 6, "renamed");
	add_sample(m, &a, 1, 3, NULL, NULL);
	assert_string_equal(written_threads(m, 0, &all), "\"threads\":[\n"
		THREAD("worker", "proc", "false", "5", "6", "\"stack\":[0,0],\"time\":[0,20],"
		       "\"weight\":[2,9223372036854775807],\"weightType\":\"samples\",\"length\":2")
		",\n"
		THREAD("main", "proc", "true", "5", "5", "\"stack\":[0],\"time\":[0],"
		       "\"weight\":[1],\"weightType\":\"samples\",\"length\":1")
		",\n"
		THREAD("samples", "samples", "false", "0", "\"2\"", "\"stack\":[0],\"time\":[0],"
		       "\"weight\":[3],\"weightType\":\"samples\",\"length\":1")
		"]}\n");
	assert_non_null(strstr(all, "{\"meta\":{\"interval\":10,"));
	free(all);
	model_free(m);
}

static void test_memory_is_in_bytes(void **state)
{
	struct model *m = new_model();
	uint32_t a = add_location(m, "a", NULL);
	char *all;

	(void)state;
	m->sample_types.items[1].unit = add_text(m, "kilobytes");
	add_sample(m, &a, 1, 1, NULL, NULL);
	assert_non_null(strstr(written_threads(m, 1, &all),
			       "\"weight\":[1024000],\"weightType\":\"bytes\""));
	assert_non_null(strstr(all, "\"sampleUnits\":{\"time\":\"bytes\","));
	free(all);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_empty_profile),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_memory_is_in_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
