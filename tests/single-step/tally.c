// SPDX-License-Identifier: GPL-2.0
#include "tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/end_reason.h"
#include "kmod/unwind/stack.h"
#include "pprof.h"

#define MAX_PLACES	4096
#define WRONG_END	PPROF_NR_END_REASONS

/* An address from which walks fail, and why. */
struct place {
	uint64_t address;
	uint32_t why;		/* PPROF_END_*, or WRONG_END */
	uint64_t nr;
	char *name;
};

static struct {
	uint64_t nr;
	uint64_t of[VERDICT_WRONG + 1];
	uint64_t guessed;
	struct place places[MAX_PLACES];
	size_t nr_places;
	struct place *last;
	size_t nr_allowed;
} tally;

void tally_allow_missing(size_t nr_outermost)
{
	tally.nr_allowed = nr_outermost;
}

static size_t nr_equal(const uint64_t *frames, size_t nr, const struct pprof_stack *found)
{
	size_t i = 0;

	while (i < nr && i < found->nr && frames[i] == found->frames[i])
		i++;
	return i;
}

static enum verdict wrong(const struct pprof_stack *found)
{
	return found->flags & PPROF_SAMPLE_GUESS ? VERDICT_MISGUESSED : VERDICT_WRONG;
}

enum verdict tally_verdict(const uint64_t *frames, size_t nr, const struct pprof_stack *found)
{
	uint16_t whole = nr > found->max ? PPROF_END_DEPTH : PPROF_END_COMPLETE;
	size_t fit = nr > found->max ? found->max : nr;
	size_t equal = nr_equal(frames, fit, found);

	if (equal < found->nr)
		return wrong(found);
	if (equal == fit && found->end_reason == whole)
		return VERDICT_EXACT;
	if (found->end_reason != PPROF_END_COMPLETE)
		return VERDICT_TRUNCATED;
	return nr - equal <= tally.nr_allowed ? VERDICT_EXACT : wrong(found);
}

/* When the array is full, all further places share the last entry. */
static struct place *find_place(uint64_t address, uint32_t why)
{
	size_t i;

	for (i = 0; i < tally.nr_places; i++)
		if (tally.places[i].address == address && tally.places[i].why == why)
			return &tally.places[i];
	if (tally.nr_places < MAX_PLACES)
		tally.nr_places++;
	tally.last = &tally.places[tally.nr_places - 1];
	tally.last->address = address;
	tally.last->why = why;
	return tally.last;
}

bool tally_add(const uint64_t *frames, size_t nr, const struct pprof_stack *found,
	       size_t *culprit)
{
	enum verdict verdict = tally_verdict(frames, nr, found);
	size_t equal;

	tally.nr++;
	tally.of[verdict]++;
	tally.guessed += found->flags & PPROF_SAMPLE_GUESS;
	if (verdict == VERDICT_EXACT)
		return false;
	equal = nr_equal(frames, nr > found->max ? found->max : nr, found);
	*culprit = equal ? equal - 1 : 0;
	tally.last = find_place(found->frames[*culprit],
				verdict >= VERDICT_MISGUESSED ? WRONG_END : found->end_reason);
	return !tally.last->nr++;
}

void tally_name(const char *name)
{
	tally.last->name = strdup(name);
}

uint64_t tally_nr(void)
{
	return tally.nr;
}

uint64_t tally_nr_of(enum verdict verdict)
{
	return tally.of[verdict];
}

/* Wrong ones first, then by number. */
static int compare_places(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	if (p->why != q->why && p->why == WRONG_END)
		return -1;
	if (p->why != q->why && q->why == WRONG_END)
		return 1;
	return p->nr < q->nr ? 1 : p->nr > q->nr ? -1 : 0;
}

static const char *why_name(uint32_t why)
{
	const char *name = why == WRONG_END ? "WRONG" : end_reason_name(why);

	return name ? name : "complete";
}

void tally_print(const char *title, size_t max_places)
{
	size_t i;

	printf("%s: %" PRIu64 " stacks, %.4f %% exact, %" PRIu64 " truncated, %" PRIu64 " wrong, %"
	       PRIu64 " guessed, %" PRIu64 " of them wrong\n", title, tally.nr,
	       tally.nr ? 100.0 * tally.of[VERDICT_EXACT] / tally.nr : 0,
	       tally.of[VERDICT_TRUNCATED], tally.of[VERDICT_WRONG], tally.guessed,
	       tally.of[VERDICT_MISGUESSED]);
	qsort(tally.places, tally.nr_places, sizeof(*tally.places), compare_places);
	for (i = 0; i < tally.nr_places && i < max_places; i++)
		printf("  %8" PRIu64 " %s: %s\n", tally.places[i].nr,
		       why_name(tally.places[i].why),
		       tally.places[i].name ? tally.places[i].name : "?");
}
