// SPDX-License-Identifier: GPL-2.0
#include "unwind/known_stack.h"

#include <linux/limits.h>

/* Does the frame of @word restore an fp that is needed? Then that is a word of its own. */
static bool restores_needed_fp(const struct pprof_known_word *word, u16 fp_from)
{
	return fp_from && (word->kind == PPROF_CACHED_SP_SAVED || word->kind == PPROF_CACHED_FP);
}

/* Returns the fp_from of the frame of @word. @caller is the word of its caller. */
static u16 find_fp_from(const struct pprof_known_word *word, u16 caller, u16 fp_from_of_caller)
{
	if (word->kind == PPROF_CACHED_FP)
		return caller;
	return word->kind == PPROF_CACHED_SP_SAVED ? 0 : fp_from_of_caller;
}

static u32 count_words(const struct pprof_known_word *words, u32 nr)
{
	u16 fp_from = 0;
	u32 total = nr;

	for (u32 i = nr - 1; i--;) {
		total += restores_needed_fp(&words[i], fp_from);
		fp_from = find_fp_from(&words[i], i + 1, fp_from);
	}
	return total;
}

/*
 * Adds the saved fps that are needed, from the outermost frame inwards. So a word that has not been
 * moved yet is not overwritten.
 */
static void add_fps(struct pprof_known_word *words, u32 nr, u32 total)
{
	struct pprof_known_word *to = words + total, *caller;
	u16 fp_from = 0;

	*--to = words[nr - 1];
	to->nr_frames = 1;
	to->fp_from = 0;
	for (u32 i = nr - 1; i--;) {
		const struct pprof_known_word word = words[i];

		caller = to;
		if (restores_needed_fp(&word, fp_from))
			*--to = (struct pprof_known_word) {
				.above = caller->above + word.fp_offset + 8,
				.value = words[fp_from].above - 16,
				.kind = PPROF_KNOWN_FP,
			};
		fp_from = find_fp_from(&word, caller - words, fp_from);
		*--to = word;
		to->fp_from = fp_from;
		to->nr_frames = nr - i;
	}
}

void pprof_known_stack_learn(struct pprof_known_stack *known, u64 epoch, u32 nr)
{
	u32 total = count_words(known->words, nr);

	known->epoch = 0;
	if (total > PPROF_KNOWN_WORDS)
		return;
	add_fps(known->words, nr, total);
	known->words[total].above = U64_MAX;
	known->nr = total;
	known->epoch = epoch;
}
