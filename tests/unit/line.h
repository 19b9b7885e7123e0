/* SPDX-License-Identifier: GPL-2.0 */
/* Parses a command line that is written as text. */
#ifndef TESTS_LINE_H
#define TESTS_LINE_H

#include <sys/wait.h>

#include <sanitizer/lsan_interface.h>

#include "capture.h"
#include "cli/command_line.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))
#define MAX_ARGS	24
#define ACCEPTED	100

/* The argv of a command line. Spaces separate words; '' is an empty word. */
struct line {
	char text[256];
	char *argv[MAX_ARGS + 1];
	int argc;
};

static inline void split(struct line *l, const char *text)
{
	char *rest = l->text, *word;

	snprintf(l->text, sizeof(l->text), "pprof-collect %s", text);
	l->argc = 0;
	while ((word = strsep(&rest, " "))) {
		assert_true(l->argc < MAX_ARGS);
		if (*word)
			l->argv[l->argc++] = strcmp(word, "''") ? word : word + 2;
	}
	l->argv[l->argc] = NULL;
}

/* The strings of c belong to l. */
static inline void parse(struct options *options, struct line *l, const char *text)
{
	split(l, text);
	command_line_parse(options, l->argc, l->argv);
}

/* Parses in a child, since a wrong line exits. Returns the exit code, or ACCEPTED. */
static inline int try(struct capture *out, int stream_fd, const char *text)
{
	struct options c;
	struct line l;
	pid_t pid;
	int status;

	capture_begin(out, stream_fd);
	pid = fork();
	if (!pid) {
		__lsan_disable();	/* argp leaks its help */
		parse(&c, &l, text);
		_exit(ACCEPTED);
	}
	waitpid(pid, &status, 0);
	capture_end(out);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Each line of list must exit with 2, and print one sentence that has the text beside it. */
static inline void assert_refused(const char *const (*list)[2], size_t nr)
{
	struct capture out;

	for (size_t i = 0; i < nr; i++) {
		int code = try(&out, STDERR_FILENO, list[i][0]);

		if (code != 2)
			fail_msg("'%s' ends with code %d", list[i][0], code);
		assert_sentence(out.text, list[i][1]);
	}
}

#endif /* TESTS_LINE_H */
