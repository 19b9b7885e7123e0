// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_check.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

#include "base/utf8.h"
#include "cli/file_settings.h"
#include "cli/read_profiles.h"
#include "formats/profile_file.h"
#include "pprof/decode_facts.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"
#include "run/privileges.h"

#define NS_PER_S	1000000000LL

struct check {
	FILE *out;
	const char *file;
	bool has_finding;	/* of this file */
	bool has_problem;	/* of any file */
};

static void print_mark(const struct check *c, const char *mark)
{
	fprintf(c->out, "%-8s ", mark);
	utf8_print(c->out, c->file);
}

static void print_finding(void *ctx, bool is_refused, const char *text)
{
	struct check *c = ctx;

	c->has_finding = true;
	c->has_problem |= is_refused;
	print_mark(c, is_refused ? "problem" : "warning");
	fputs(": ", c->out);
	utf8_print(c->out, text);
	putc('\n', c->out);
}

static void print_fault(struct check *c, const struct profile_fault *fault)
{
	c->has_problem = true;
	print_mark(c, "problem");
	fputs(": ", c->out);
	read_profiles_put_fault(fault, c->out);
	putc('\n', c->out);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void check_file(struct check *c, enum reader reader)
{
	const struct reader_rules rules = {
		.reader = reader, .now_ns = now_ns(), .report = print_finding, .ctx = c,
	};
	struct profile_fault fault;
	struct decode_facts facts;
	struct model *m;

	c->has_finding = false;
	if (profile_file_read(c->file, PROFILE_INPUT_MAX_BYTES, &m, &facts, &fault)) {
		print_fault(c, &fault);
		return;
	}
	reader_rules_check(&rules, m, &facts);
	model_free(m);
	if (c->has_finding)
		return;
	print_mark(c, "ok");
	putc('\n', c->out);
}

int cmd_check_run(const struct file_settings *s, FILE *out)
{
	struct check c = { .out = out };
	int err = privileges_seal(&(struct privileges_seal){ 0 });

	if (!err)
		err = privileges_end_profile(NULL, 0);
	if (err)
		return err;
	for (size_t i = 0; i < s->files.nr; i++) {
		c.file = s->files.items[i];
		check_file(&c, s->reader);
	}
	return c.has_problem ? -EBADMSG : 0;
}
