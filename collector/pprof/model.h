/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A profile in memory, for the code that reads, merges, edits, prints and draws profiles. (A run
 * builds its own profile in pprof/profile.h.)
 *
 * The struct is open: read all members directly, and change them by the rules below. Everything
 * is an array, and refers to other arrays by index, never by pointer. An index is a uint32_t that
 * counts from 0, and MODEL_NONE stands for none. The ids in a file that is written are index + 1.
 *
 *	sample -> stack (span of locations, leaf first) -> location -> lines (innermost first)
 *	       -> label set (span of labels)                        -> mapping
 *	       -> values                                    line    -> function
 *
 * - A string is an index in the string table, and 0 is "". Equal strings have equal indices.
 * - Equal stacks have equal indices, and so have equal label sets. Index 0 is the empty one. Look
 *   at a stack once, and not once for each sample: work per stack, then add up the samples.
 * - Two samples may have the same stack and labels, unless the model was merged (pprof/merge.h).
 * - Tables may have entries that no sample uses.
 *
 * Editing. Values, the stack and the label set of a sample, the lines of a location and the
 * members of a function may be changed in place. To change a stack, add the new one with
 * model_add_stack() and store its index: stacks that no sample uses are never written. To drop
 * samples use model_keep_samples(). To hide lines of a location, move first_line and nr_lines, or
 * append lines to model.lines and point there. After such edits, samples may be equal:
 * merge_one() adds them up. Never change the items inside model.stacks or model.label_sets.
 *
 * Pointers into arrays and spans are valid until something is added to the same array. Strings
 * stay until model_free().
 *
 * Functions that return int or int64_t return a negative errno: -ENOMEM, or -EOVERFLOW beyond 2^32
 * items. Nothing is added then. Indices that are passed in are not checked, and must exist.
 * Nothing here prints a message.
 */
#ifndef COLLECTOR_MODEL_H
#define COLLECTOR_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span_set.h"
#include "base/string_table.h"
#include "pprof/mapping_flags.h"

#define MODEL_NONE	UINT32_MAX

/* An array that array_grow() grows (base/array.h). All zeroes is an empty one. */
#define MODEL_ARRAY(type, name)	\
	struct {		\
		type *items;	\
		size_t nr;	\
		size_t room;	\
	} name

/* In the structs below, a uint32_t is a string unless a comment says otherwise. */
struct model_value_type {
	uint32_t type;			/* "cpu" */
	uint32_t unit;			/* "nanoseconds" */
};

struct model_mapping {
	uint64_t start;			/* address */
	uint64_t limit;			/* the first address after the mapping */
	uint64_t offset;		/* of start in the file, in bytes */
	uint32_t file;
	uint32_t build_id;
	uint32_t flags;			/* PROFILE_HAS_*; not a string */
};

struct model_function {
	int64_t start_line;		/* 0 if not known */
	uint32_t name;			/* as people read it */
	uint32_t system_name;		/* as in the symbol table */
	uint32_t file;
};

/* One function at a location. Line and column are 0 if not known. */
struct model_line {
	int64_t line;
	int64_t column;
	uint32_t function;		/* index in functions */
};

struct model_location {
	uint64_t address;
	uint32_t mapping;		/* index in mappings, or MODEL_NONE */
	uint32_t first_line;		/* index in lines, where the lines of this location begin */
	uint32_t nr_lines;
	bool is_folded;			/* it stands for several addresses with equal lines */
	bool is_label;			/* of a label, added by analysis/tag_frames.c */
};

/*
 * A label has a text (str), or a number (num and unit). In a label set, texts come before numbers.
 * Each of the two groups is sorted by the key, by the bytes of the string. Labels with the same
 * key keep the order in which they were added.
 */
struct model_label {
	int64_t num;			/* 0 in a text */
	uint32_t key;
	uint32_t str;			/* 0 in a number */
	uint32_t unit;			/* 0 in a text */
	uint32_t is_number;		/* 0 or 1; not a string */
};

struct model_sample {
	uint32_t stack;			/* index in stacks */
	uint32_t label_set;		/* index in label_sets; 0 if there are no labels */
};

struct model {
	struct strtab *strings;
	/* The main program's mapping is the first one. lines are those of all locations. */
	MODEL_ARRAY(struct model_value_type, sample_types);
	MODEL_ARRAY(struct model_mapping, mappings);
	MODEL_ARRAY(struct model_location, locations);
	MODEL_ARRAY(struct model_line, lines);
	MODEL_ARRAY(struct model_function, functions);
	MODEL_ARRAY(struct model_sample, samples);
	/* sample_types.nr values for each sample. Use model_values(). */
	MODEL_ARRAY(int64_t, values);
	/*
	 * The ids that the file gives to mappings and locations, for raw_print(). Empty if they are
	 * 1, 2, ..., as in nearly all files; entries that were added later have none.
	 */
	MODEL_ARRAY(uint64_t, mapping_ids);
	MODEL_ARRAY(uint64_t, location_ids);
	struct span_set stacks;				/* spans of uint32_t: model_stack() */
	struct span_set label_sets;			/* spans of labels: model_labels() */
	/* Strings. */
	MODEL_ARRAY(uint32_t, comments);
	struct model_value_type period_type;
	int64_t period;					/* in the unit of period_type */
	int64_t time_ns;				/* since the epoch; 0 if not known */
	int64_t duration_ns;				/* 0 if not known */
	uint32_t default_sample_type;			/* a name; 0 if there is none */
	uint32_t drop_frames;				/* a regular expression, or 0 */
	uint32_t keep_frames;				/* a regular expression, or 0 */
	uint32_t doc_url;
};

/*
 * Makes an empty model. model_free() frees it.
 * Returns: the model, or NULL with errno ENOMEM.
 */
struct model *model_new(void);

/* Frees the model. m may be NULL. */
void model_free(struct model *m);

/* Finds or adds a string of len bytes. Returns: its index, or a negative errno. */
int64_t model_add_string(struct model *m, const char *s, size_t len);

/* Adds a sample type. Call it before the first sample. */
int model_add_sample_type(struct model *m, const struct model_value_type *type);

/* These add an entry at the end of a table. Returns: its index, or a negative errno. */
int64_t model_add_mapping(struct model *m, const struct model_mapping *mapping);
int64_t model_add_function(struct model *m, const struct model_function *function);

/* Adds a location with copies of nr_lines lines. Ignores location's first_line and nr_lines. */
int64_t model_add_location(struct model *m, const struct model_location *location,
			   const struct model_line *lines, size_t nr_lines);

/* Finds or adds a stack of nr locations, leaf first. Returns: its index, or a negative errno. */
int64_t model_add_stack(struct model *m, const uint32_t *locations, size_t nr);

/*
 * Finds or adds a label set. The labels may come in any order: they are sorted as struct
 * model_label says. Returns: the index of the set, or a negative errno.
 */
int64_t model_add_label_set(struct model *m, const struct model_label *labels, size_t nr);

/* Adds a sample with sample_types.nr values; values NULL stands for zeroes. */
int model_add_sample(struct model *m, const struct model_sample *sample, const int64_t *values);

/* Adds a comment. */
int model_add_comment(struct model *m, uint32_t string);

/*
 * Keeps the samples for which keep() returns true, in their order. sample is the index before.
 * Returns: the number of samples that were dropped.
 */
size_t model_keep_samples(struct model *m, bool (*keep)(const struct model *m, size_t sample,
							void *ctx), void *ctx);

/* Frees what only additions need. Additions are allowed afterwards, but the first one is slow. */
void model_trim(struct model *m);

/*
 * Finds a sample type by its number, which counts from 0, or by its name: as it is, or without a
 * leading "inuse_".
 * Returns: its index in sample_types, or -ENOENT.
 */
int model_find_sample_type(const struct model *m, const char *name);

/*
 * The sample type that readers show: default_sample_type, or the last one.
 * Returns: its index in sample_types, or -ENOENT if there are no sample types.
 */
int model_default_sample_type(const struct model *m);

/* Has a label set a text with this key and this value? A value of NULL stands for any. */
bool model_has_text(const struct model *m, uint32_t label_set, const char *key, const char *value);

/* A string, with a NUL after it. A string of a file may also contain NULs. */
static inline const char *model_string(const struct model *m, uint32_t string)
{
	return strtab_at(m->strings, string);
}

/* The values of a sample, one for each sample type. */
static inline int64_t *model_values(const struct model *m, size_t sample)
{
	return m->values.items + sample * m->sample_types.nr;
}

/* The locations of a stack, leaf first. */
static inline const uint32_t *model_stack(const struct model *m, uint32_t stack, uint32_t *nr)
{
	*nr = span_set_len(&m->stacks, stack);
	return span_set_at(&m->stacks, stack);
}

/* The labels of a label set, sorted as struct model_label says. */
static inline const struct model_label *model_labels(const struct model *m, uint32_t label_set,
						     uint32_t *nr)
{
	*nr = span_set_len(&m->label_sets, label_set);
	return span_set_at(&m->label_sets, label_set);
}

/* The lines of a location, innermost first. There are location->nr_lines. */
static inline struct model_line *model_lines(const struct model *m,
					     const struct model_location *location)
{
	return m->lines.items + location->first_line;
}

#endif /* COLLECTOR_MODEL_H */
