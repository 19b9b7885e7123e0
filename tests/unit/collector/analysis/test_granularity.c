// SPDX-License-Identifier: GPL-2.0
// sources: collector/analysis/granularity.c collector/pprof/model.c collector/base/span_set.c
// sources: collector/base/string_table.c
// libs: -lxxhash
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/granularity.h"
#include "report_model.h"

/* Location 2 has the frames helper and work. */
static const char *describe(const struct granularity_settings *s)
{
	static char text[256];
	struct model *m = make_report_model();
	const struct model_location *l = &m->locations.items[2];
	size_t at;

	granularity_apply(m, s);
	at = snprintf(text, sizeof(text), "%lx", l->address);
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		const struct model_line *line = &model_lines(m, l)[i];
		const struct model_function *f = &m->functions.items[line->function];

		at += snprintf(text + at, sizeof(text) - at, " %s(%s) %s:%ld:%ld",
			       model_string(m, f->name), model_string(m, f->system_name),
			       model_string(m, f->file), line->line, line->column);
	}
	snprintf(text + at, sizeof(text) - at, " flags %x", m->mappings.items[0].flags);
	model_free(m);
	return text;
}

static void test_levels(void **state)
{
	static const struct {
		struct granularity_settings settings;
		const char *text;
	} cases[] = {
		{ { .level = GRANULARITY_FUNCTIONS },
		  "0 helper(helper) :0:0 work(_Z4workv) :0:0 flags 1" },
		{ { .level = GRANULARITY_FILEFUNCTIONS },
		  "0 helper(helper) /src/help.h:0:0 work(_Z4workv) /src/work.c:0:0 flags 1" },
		{ { .level = GRANULARITY_FILES },
		  "0 () /src/help.h:0:0 () /src/work.c:0:0 flags 0" },
		{ { .level = GRANULARITY_LINES },
		  "0 helper(helper) /src/help.h:5:0 work(_Z4workv) /src/work.c:33:0 flags 5" },
		{ { .level = GRANULARITY_LINES, .has_columns = true },
		  "0 helper(helper) /src/help.h:5:7 work(_Z4workv) /src/work.c:33:7 flags 5" },
		{ { .level = GRANULARITY_ADDRESSES },
		  "400210 helper(helper) /src/help.h:5:7 work(_Z4workv) /src/work.c:33:7 flags 5" },
		{ { .level = GRANULARITY_ADDRESSES, .omits_inlined = true },
		  "400210 work(_Z4workv) /src/work.c:33:0 flags 5" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(describe(&cases[i].settings), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
