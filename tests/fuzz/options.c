// SPDX-License-Identifier: GPL-2.0
// sources: collector/cli/command_line.c collector/cli/options.c collector/cli/option_values.c
// sources: collector/cli/options_profile.c collector/cli/options_subcommands.c
// sources: collector/cli/keywords.c collector/pprof/frame_filter.c collector/base/utf8.c
// sources: collector/session/settings.c collector/cli/options_files.c
// sources: collector/cli/options_serve.c collector/http/listen_address.c
// sources: collector/analysis/regex.c collector/analysis/re2_syntax.c
// sources: collector/analysis/re2_class.c collector/analysis/re2_escape.c
// sources: collector/analysis/filter.c collector/analysis/label_filter.c
// sources: collector/analysis/label_units.c collector/analysis/matcher.c
// sources: collector/analysis/name_filter.c collector/analysis/prune.c
// sources: collector/analysis/stack_edit.c collector/analysis/tag_filter.c
// sources: collector/analysis/tag_frames.c collector/analysis/unit.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/value_unit.c
// sources: collector/base/span_set.c collector/base/string_table.c
// sources: collector/push/backend.c collector/push/push_labels.c collector/push/push_settings.c
// sources: collector/push/libcurl.c
// sources: collector/base/library.c collector/base/libgnutls.c
// sources: collector/push/auth_file.c collector/push/url_template.c
// sources: collector/cli/options_push.c
// libs: -lm -lxxhash -lpcre2-8 -Wl,--wrap=argp_parse,--wrap=argp_failure
/*
 * Input: arguments, each with a NUL. They are refused, or give options that make sense.
 */
#include <argp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sanitizer/allocator_interface.h>

#include "cli/command_line.h"
#include "cli/options_files.h"
#include "aggregate/profile_types.h"

#define MAX_ARGS	32

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
error_t __real_argp_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
			  int *index, void *input);
error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
			  int *index, void *input);
void __wrap_argp_failure(const struct argp_state *state, int status, int errnum,
			 const char *format, ...);

static jmp_buf refusal;

/* Memory that this thread allocates while it parses: in the collector an exit would free it. */
static const volatile void *held[4096];
static _Thread_local bool parsing;	/* libFuzzer has a thread of its own */

static void swap_held(const volatile void *from, const volatile void *to)
{
	size_t i = 0;

	while (parsing && i < sizeof(held) / sizeof(*held) && held[i] != from)
		i++;
	if (parsing && i < sizeof(held) / sizeof(*held))
		held[i] = to;
}

static void note_malloc(const volatile void *mem, size_t size)
{
	(void)size;
	swap_held(NULL, mem);
}

static void note_free(const volatile void *mem)
{
	if (mem)
		swap_held(mem, NULL);
}

static void free_held(void)
{
	parsing = false;
	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++) {
		free((void *)held[i]);
		held[i] = NULL;
	}
}

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* The real function would exit. */
error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
			  int *index, void *input)
{
	error_t err = __real_argp_parse(argp, argc, argv, flags | ARGP_SILENT, index, input);

	if (err)
		longjmp(refusal, 1);
	return 0;
}

void __wrap_argp_failure(const struct argp_state *state, int status, int errnum,
			 const char *format, ...)
{
	(void)state;
	(void)errnum;
	check(status == 2 && format);
	longjmp(refusal, 1);
}

static void check_profile(const struct settings *run)
{
	check((run->nr_pids > 0) + run->all + !!run->program == 1);
	check(!run->program || run->program[0]);
	check(run->profile_types >= 1 && run->profile_types < 1U << PROFILE_TYPE_NR);
	check(!(run->output && run->profile_types & (run->profile_types - 1)));
	check(run->hz >= 1 && run->hz <= 10000 && run->labels < 32 && run->max_stacks >= 1);
	check(run->buffer_pages >= 8 && run->buffer_pages <= 16384);
	check(!(run->buffer_pages & (run->buffer_pages - 1)));
}

static void check_push(const struct options *options)
{
	check(options->command != OPTIONS_PUSH || options->push.nr);
	check(options->push.labels.nr <= PUSH_LABELS_MAX);
	for (size_t i = 0; i < options->push.nr; i++) {
		check(options->push.backends[i].kind < PUSH_NR_KINDS);
		check(!strchr(options->push.backends[i].name, '?'));
	}
}

/* Other machines reach only a server that somebody protects, or says to be insecure. */
static void check_serve(const struct options *options)
{
	const struct serve_settings *s = &options->serve;

	check((options->run.nr_pids > 0) + options->run.all + !!s->comm == 1);
	check(!s->listen == !!s->unix_path && !s->tls_cert == !s->tls_key);
	check(listen_address_is_local(&s->address) || s->tls_cert || s->token_file ||
	      s->is_insecure);
}

static void check_options(const struct options *options)
{
	check(options->run.duration_ns < 100ULL * 366 * 86400 * 1000000000);
	for (size_t i = 0; i < options->run.nr_pids; i++)
		check(options->run.pids[i] > 0);
	if (options->command == OPTIONS_PROFILE)
		check_profile(&options->run);
	else if (options->command == OPTIONS_SERVE)
		check_serve(options);
	else
		check(!options->run.program &&
		      options->run.nr_pids <= (options->command == OPTIONS_AUDIT ||
					       options->command == OPTIONS_DOCTOR ||
					       options->command == OPTIONS_LIST));
	check((options->command == OPTIONS_CFI) == (options->elf_files.nr > 0));
	check((options_files_argp(options->command) || options->command == OPTIONS_PUSH) ==
	      (options->read.files.nr > 0));
	check_push(options);
}

static void parse(int argc, char **argv)
{
	static struct options c;

	parsing = true;
	if (setjmp(refusal)) {
		options_fini(&c);
		free_held();
		return;
	}
	command_line_parse(&c, argc, argv);
	parsing = false;
	memset(held, 0, sizeof(held));
	check_options(&c);
	options_fini(&c);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	check(__sanitizer_install_malloc_and_free_hooks(note_malloc, note_free));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[MAX_ARGS + 1] = { (char *)"pprof-collect" };
	char *text = calloc(1, size + 1), *end = text + size;
	int argc = 1;

	memcpy(text, data, size);
	for (char *arg = text; arg < end && argc < MAX_ARGS; arg += strlen(arg) + 1)
		argv[argc++] = arg;
	parse(argc, argv);
	free(text);
	return 0;
}
