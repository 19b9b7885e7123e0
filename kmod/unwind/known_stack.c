// SPDX-License-Identifier: GPL-2.0
#include "unwind/known_stack.h"

#include <linux/limits.h>

/* What the frames further out need of the fp. */
struct need {
	bool fp;
	u64 value;
};

/* Does the frame of @word restore an fp that is needed? Then that is a word of its own. */
static bool restores_needed_fp(const struct pprof_known_word *word, const struct need *need)
{
	return need->fp && (word->kind == PPROF_CACHED_SP_SAVED || word->kind == PPROF_CACHED_FP);
}

/* Sets *need to that of the frame of @word, from that of its caller. */
static void find_need(const struct pprof_known_word *word, u64 cfa, struct need *need)
{
	if (word->kind == PPROF_CACHED_FP)
		*need = (struct need) { true, cfa - 16 };
	else if (word->kind == PPROF_CACHED_SP_SAVED)
		need->fp = false;
}

static u32 count_words(const struct pprof_known_word *words, u32 nr)
{
	struct need need = { false };
	u32 total = nr;

	for (u32 i = nr - 1; i--;) {
		total += restores_needed_fp(&words[i], &need);
		find_need(&words[i], words[i + 1].above, &need);
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
	struct need need = { false };

	*--to = words[nr - 1];
	to->nr_frames = 1;
	to->needs_fp = false;
	for (u32 i = nr - 1; i--;) {
		const struct pprof_known_word word = words[i];

		caller = to;
		if (restores_needed_fp(&word, &need))
			*--to = (struct pprof_known_word) {
				.above = caller->above + word.fp_offset + 8, .value = need.value,
				.kind = PPROF_KNOWN_FP,
			};
		find_need(&word, caller->above, &need);
		*--to = word;
		to->needs_fp = need.fp && word.kind != PPROF_CACHED_FP;
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
