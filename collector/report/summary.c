// SPDX-License-Identifier: GPL-2.0
#include "report/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "device/end_reason.h"
#include "aggregate/profile_types.h"
#include "base/string_table.h"
#include "base/utf8.h"
#include "aggregate/stack_values.h"

#define NR_HOTTEST	10

/* A function. The amounts are counts of samples, or sums of one of the values. */
struct function {
	const char *name;
	double flat;		/* of stacks whose leaf it is */
	double cumulative;	/* of all stacks that have it */
	size_t last_stack;	/* id + 1 of the last one: a recursive function counts once */
};

struct functions {
	struct strtab *names;
	struct function *table;	/* by index in names */
	size_t room;
	size_t nr;
};

static struct function *get_function(struct functions *f, const char *name)
{
	int64_t index = strtab_intern(f->names, name, strlen(name));
	struct function *table;

	if (index < 0)
		return NULL;
	table = array_grow(f->table, &f->room, index + 1, sizeof(*table));
	if (!table)
		return NULL;
	f->table = table;
	for (; f->nr <= (size_t)index; f->nr++)
		table[f->nr] = (struct function){ .name = strtab_at(f->names, f->nr) };
	return &table[index];
}

static int count_location(struct functions *f, const struct location *location,
			  double amount, size_t stack, bool is_leaf)
{
	for (uint32_t i = 0; i < location->nr_lines; i++) {
		struct function *function = get_function(f, location->lines[i].name);

		if (!function)
			return -ENOMEM;
		if (is_leaf && !i)
			function->flat += amount;
		if (function->last_stack != stack)
			function->cumulative += amount;
		function->last_stack = stack;
	}
	return 0;
}

/* Returns the amount of a stack: the value that tables show, or the number of samples. */
static double amount_of(const struct summary_input *in, size_t id)
{
	const struct profile_type *profile_type = in->profile_type;

	return profile_type->nr_values ? stack_values_at(in->values, id)[profile_type->shown_value]
				       : tuple_map_at(in->stacks, id)->count;
}

static int count_functions(struct functions *f, const struct summary_input *in)
{
	int err = 0;

	for (size_t id = 0; id < tuple_map_nr(in->stacks); id++) {
		const struct tuple *stack = tuple_map_at(in->stacks, id);

		for (uint32_t i = 0; !err && i < stack->nr_frames; i++)
			err = count_location(f, locations_at(in->locations, stack->frames[i]),
					     amount_of(in, id), id + 1, !i);
	}
	return err;
}

static int descending(double a, double b)
{
	return (a < b) - (a > b);
}

static int by_flat(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	if (a->flat != b->flat)
		return descending(a->flat, b->flat);
	if (a->cumulative != b->cumulative)
		return descending(a->cumulative, b->cumulative);
	return strcmp(a->name, b->name);
}

static int by_cumulative(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	return a->cumulative != b->cumulative ? descending(a->cumulative, b->cumulative) :
						by_flat(left, right);
}

static double percent(double part, double whole)
{
	return whole ? 100.0 * part / whole : 0;
}

/* Prints a count as it is, and a value in the unit of its profile type. */
static void print_amount(FILE *out, const struct profile_type *profile_type, double amount)
{
	if (profile_type->nr_values && profile_type->per_shown != 1)
		fprintf(out, "%10.3f", amount / profile_type->per_shown);
	else
		fprintf(out, "%10.0f", amount);
}

static void print_hottest(FILE *out, const struct profile_type *profile_type,
			  const struct functions *f, double total)
{
	const char *unit = profile_type->nr_values ? profile_type->shown : "";
	char flat[16], cumulative[16];

	snprintf(flat, sizeof(flat), "flat%s%s", *unit ? " " : "", unit);
	snprintf(cumulative, sizeof(cumulative), "cum%s%s", *unit ? " " : "", unit);
	fprintf(out, "%10s %6s %10s %6s  %s\n", flat, "flat%", cumulative, "cum%", "function");
	for (size_t i = 0; i < f->nr && i < NR_HOTTEST && f->table[i].cumulative; i++) {
		const struct function *function = &f->table[i];

		print_amount(out, profile_type, function->flat);
		fprintf(out, " %5.1f%% ", percent(function->flat, total));
		print_amount(out, profile_type, function->cumulative);
		fprintf(out, " %5.1f%%  ", percent(function->cumulative, total));
		utf8_print(out, function->name);
		fputc('\n', out);
	}
}

static uint64_t nr_truncated(const struct aggregator_counts *counts)
{
	uint64_t nr = 0;

	for (uint32_t end = 0; end < PPROF_NR_END_REASONS; end++)
		nr += counts->truncated[end];
	return nr;
}

/* Prints the percentage, too: one truncated stack among thousands is no problem. */
static void print_truncated(FILE *out, const struct aggregator_counts *counts)
{
	uint64_t all = nr_truncated(counts);

	fprintf(out, ", %" PRIu64 " truncated", all);
	if (all)
		fprintf(out, " (%.1f%%)", percent(all, counts->consumed - counts->ignored));
}

static void print_totals(FILE *out, const struct summary_input *in)
{
	const struct aggregator_counts *counts = in->counts;

	fprintf(out, "%s: %" PRIu64 " %s in %.1f s, %" PRIu64 " lost", in->profile_type->name,
		counts->consumed - counts->ignored + in->lost, in->profile_type->unit,
		in->duration_ns / 1e9, in->lost);
	if (counts->over_max)
		fprintf(out, ", %" PRIu64 " over --max-stacks", counts->over_max);
	print_truncated(out, counts);
	fprintf(out, ", %zu distinct stacks\n", tuple_map_nr(in->stacks));
	for (uint32_t end = 0; end < PPROF_NR_END_REASONS; end++)
		if (counts->truncated[end])
			fprintf(out, "%10" PRIu64 " %s\n", counts->truncated[end],
				end_reason_root(end));
	if (in->worst) {
		fprintf(out, "%10" PRIu64 " of them in ", in->nr_worst);
		utf8_print(out, in->worst);
		fputc('\n', out);
	}
	if (counts->guessed)
		fprintf(out, "%10" PRIu64 " with a caller guessed by frame pointers\n",
			counts->guessed);
}

/* Lost samples are a part of the total if it is a count. Their values are not known. */
static double total_of(const struct summary_input *in)
{
	double total = 0;

	if (!in->profile_type->nr_values)
		return in->counts->consumed - in->counts->ignored + in->lost;
	for (size_t id = 0; id < tuple_map_nr(in->stacks); id++)
		total += amount_of(in, id);
	return in->over_values ? total + in->over_values[in->profile_type->shown_value] : total;
}

int summary_print(FILE *out, const struct summary_input *in)
{
	double total = total_of(in);
	struct functions f = { .names = strtab_new() };
	int err = f.names ? count_functions(&f, in) : -ENOMEM;

	if (!err) {
		print_totals(out, in);
		if (f.nr)
			qsort(f.table, f.nr, sizeof(*f.table),
			      in->profile_type->by_cumulative ? by_cumulative : by_flat);
		if (total)
			print_hottest(out, in->profile_type, &f, total);
		if (strcmp(in->file, "-"))
			fprintf(out, "go tool pprof -http=: %s\n", in->file);
	} else {
		fputs("pprof-collect: cannot print the summary: out of memory: read the profile with "
		      "'go tool pprof -top'\n", out);
	}
	free(f.table);
	strtab_free(f.names);
	return err;
}
