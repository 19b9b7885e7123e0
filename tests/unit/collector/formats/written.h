/* SPDX-License-Identifier: GPL-2.0 */
/* Makes models for tests of formats, and writes them. Include it after cmocka.h. */
#ifndef TESTS_WRITTEN_H
#define TESTS_WRITTEN_H

#include "collector/flame/flame_model.h"
#include "formats/format.h"
#include "pprof/profile_fault.h"

#define BAD	"\xEF\xBF\xBD"		/* U+FFFD */

typedef int writer(const struct model *m, uint32_t type, FILE *out, struct profile_fault *fault);

static struct profile_fault fault;

/* Returns: what the writer wrote, which the caller frees, and *err. */
static char *write_model(writer *write, const struct model *m, uint32_t type, size_t *len, int *err)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	assert_non_null(out);
	fault.text[0] = '\0';
	*err = write(m, type, out, &fault);
	assert_int_equal(fclose(out), 0);
	return text;
}

static inline void assert_written(writer *write, const struct model *m, uint32_t type,
				  const char *want)
{
	size_t len;
	int err;
	char *text = write_model(write, m, type, &len, &err);

	assert_int_equal(err, 0);
	assert_string_equal(text, want);
	assert_int_equal(len, strlen(want));
	free(text);
}

/* The writer refuses the model with a text that has this part, and writes nothing. */
static inline void assert_refused(writer *write, const struct model *m, uint32_t type,
				  const char *part)
{
	size_t len;
	int err;
	char *text = write_model(write, m, type, &len, &err);

	assert_int_equal(err, -EBADMSG);
	assert_int_equal(len, 0);
	if (!strstr(fault.text, part))
		fail_msg("no \"%s\" in: %s", part, fault.text);
	free(text);
}

static struct model *new_model(void)
{
	struct model *m = model_new();

	assert_non_null(m);
	add_types(m);
	return m;
}

#endif /* TESTS_WRITTEN_H */
