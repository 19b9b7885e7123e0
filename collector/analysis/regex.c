// SPDX-License-Identifier: GPL-2.0
#include "analysis/regex.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "analysis/re2_syntax.h"
#include "base/utf8.h"
#include "pprof/profile_fault.h"

/*
 * A compiled expression uses up to 32 KiB of the thread's stack. The first text that needs more
 * gives the expression a stack of its own, which grows up to this.
 */
#define JIT_STACK_MIN_BYTES	65536
#define JIT_STACK_MAX_BYTES	1048576

struct regex {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *jit_stack;
};

static pcre2_compile_context *make_compile_context(void)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);

	if (!context)
		return NULL;
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_set_parens_nest_limit(context, 2 * RE2_SYNTAX_MAX_DEPTH);
	pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
	return context;
}

static int refuse(struct profile_fault *fault, int error)
{
	PCRE2_UCHAR text[100] = "";

	if (error == PCRE2_ERROR_HEAP_FAILED)
		return profile_fault_errno(fault, -ENOMEM);
	if (error == PCRE2_ERROR_PATTERN_TOO_LARGE)
		return profile_fault_set(fault, PROFILE_FAULT_NO_OFFSET,
					 "the regular expression is too large: shorten it");
	pcre2_get_error_message(error, text, sizeof(text));
	return profile_fault_set(fault, PROFILE_FAULT_NO_OFFSET,
				 "the regular expression is wrong (%s): write it in RE2's syntax",
				 text);
}

static int compile(struct regex *r, const char *pcre, struct profile_fault *fault)
{
	uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_CIRCUMFLEX;
	pcre2_compile_context *context = make_compile_context();
	int error = PCRE2_ERROR_HEAP_FAILED;
	size_t offset;

	if (context)
		r->code = pcre2_compile((PCRE2_SPTR)pcre, PCRE2_ZERO_TERMINATED, options, &error,
					&offset, context);
	pcre2_compile_context_free(context);
	return r->code ? 0 : refuse(fault, error);
}

/* Without the JIT, where memory may not be executable, PCRE2 interprets the expression. */
static int prepare_search(struct regex *r)
{
	pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE);
	r->data = pcre2_match_data_create(1, NULL);
	r->context = pcre2_match_context_create(NULL);
	if (!r->data || !r->context)
		return -ENOMEM;
	pcre2_set_match_limit(r->context, REGEX_MATCH_LIMIT);
	return 0;
}

static int set_up(struct regex *r, const char *s, size_t len, struct profile_fault *fault)
{
	char *pcre;
	int err = re2_syntax_translate(s, len, &pcre, fault);

	if (err)
		return err;
	err = compile(r, pcre, fault);
	free(pcre);
	if (err)
		return err;
	err = prepare_search(r);
	return err ? profile_fault_errno(fault, err) : 0;
}

int regex_new(struct regex **regex, const char *s, size_t len, struct profile_fault *fault)
{
	struct regex *r;
	int err;

	*regex = NULL;
	if (len > REGEX_MAX_BYTES)
		return profile_fault_set(fault, PROFILE_FAULT_NO_OFFSET,
					 "the regular expression has %zu bytes: use at most %d",
					 len, REGEX_MAX_BYTES);
	r = calloc(1, sizeof(*r));
	if (!r)
		return profile_fault_errno(fault, -ENOMEM);
	err = set_up(r, s, len, fault);
	if (err) {
		regex_free(r);
		return err;
	}
	*regex = r;
	return 0;
}

void regex_free(struct regex *r)
{
	if (!r)
		return;
	pcre2_jit_stack_free(r->jit_stack);
	pcre2_match_context_free(r->context);
	pcre2_match_data_free(r->data);
	pcre2_code_free(r->code);
	free(r);
}

static int match(struct regex *r, const char *s, size_t len)
{
	return pcre2_match(r->code, (PCRE2_SPTR)s, len, 0, PCRE2_NO_UTF_CHECK, r->data, r->context);
}

static int add_stack(struct regex *r)
{
	r->jit_stack = pcre2_jit_stack_create(JIT_STACK_MIN_BYTES, JIT_STACK_MAX_BYTES, NULL);
	if (!r->jit_stack)
		return -ENOMEM;
	pcre2_jit_stack_assign(r->context, NULL, r->jit_stack);
	return 0;
}

static int search(struct regex *r, const char *s, size_t len)
{
	int found = match(r, s, len);

	if (found == PCRE2_ERROR_JIT_STACKLIMIT && !r->jit_stack) {
		if (add_stack(r))
			return -ENOMEM;
		found = match(r, s, len);
	}
	if (found >= 0)
		return 1;
	if (found == PCRE2_ERROR_NOMATCH)
		return 0;
	return found == PCRE2_ERROR_NOMEMORY ? -ENOMEM : -ETIME;
}

int regex_find(struct regex *r, const char *s, size_t len)
{
	char *clean;
	int found;

	if (utf8_is_valid(s, len))
		return search(r, s, len);
	clean = malloc(UTF8_MAX_GROWTH * len);
	if (!clean)
		return -ENOMEM;
	found = search(r, clean, utf8_clean(clean, s, len));
	free(clean);
	return found;
}
