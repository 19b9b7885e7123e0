/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which strings of a model a regular expression is found in. Names of functions and files recur at
 * many locations, so each string is searched once.
 */
#ifndef COLLECTOR_MATCHER_H
#define COLLECTOR_MATCHER_H

#include <stdbool.h>
#include <stdint.h>

struct model;
struct model_line;
struct model_location;
struct regex;

/* Which part of a string is searched. */
enum matcher_text {
	MATCHER_ALL,
	/* The name of a function without a leading "." and without its parameters, as in pprof. */
	MATCHER_SIMPLIFIED,
};

struct matcher {
	/* The first error of a search: a negative errno, as of regex_find(). Read it at the end. */
	int err;
	/* The other members are private. */
	struct regex *regex;
	const struct model *model;
	enum matcher_text text;
	uint8_t *found;		/* by string */
};

/*
 * Starts with a model and an expression. The caller frees them only after matcher_fini(), which
 * frees the memory, also after an error. Strings that are added to the model later may not be
 * searched.
 * Returns: 0, or -ENOMEM.
 */
int matcher_init(struct matcher *x, struct regex *regex, const struct model *m,
		 enum matcher_text text);

/* Frees the memory. x may be all zeroes. */
void matcher_fini(struct matcher *x);

/* Is the expression found in the string? After an error: false. */
bool matcher_finds(struct matcher *x, uint32_t string);

/* Is it found in the name or the file of the function? */
bool matcher_finds_line(struct matcher *x, const struct model_line *line);

/* Is it found in the file of the location's mapping? false if there is no mapping. */
bool matcher_finds_mapping(struct matcher *x, const struct model_location *location);

/* Is it found in a line or in the mapping? */
bool matcher_finds_location(struct matcher *x, const struct model_location *location);

#endif /* COLLECTOR_MATCHER_H */
