// SPDX-License-Identifier: GPL-2.0
/*
 * The formats are those of tools/perf/builtin-script.c and util/evsel_fprintf.c of Linux 5.10 to
 * 6.12.
 */
#include "formats/perf_script_line.h"

/* perf pads an address to this width. */
#define ADDRESS_WIDTH	16

/* Takes "(TEXT)" from the end; TEXT may contain pairs of parentheses. */
static bool take_parenthesis(struct text_cursor *c, struct text_cursor *text)
{
	const char *at = c->end;
	size_t depth = 0;

	if (!text_left(c) || at[-1] != ')')
		return false;
	do {
		at--;
		depth += *at == ')';
		depth -= *at == '(';
	} while (depth && at > c->at);
	if (depth || (at > c->at && !text_is_blank(at[-1])))
		return false;
	*text = (struct text_cursor){ at + 1, c->end - 1 };
	c->end = at;
	text_trim(c);
	return true;
}

bool perf_script_parse_frame(struct text_cursor line, struct perf_script_frame *frame)
{
	text_trim(&line);
	if (!text_take_hex(&line, &frame->address) ||
	    (line.at < line.end && !text_skip_blanks(&line)))
		return false;
	frame->symbol = line;
	frame->dso = (struct text_cursor){ line.end, line.end };
	take_parenthesis(&frame->symbol, &frame->dso);
	frame->is_inlined = text_is(&frame->dso, "inlined");
	if (frame->is_inlined)
		frame->dso.at = frame->dso.end;
	text_cut_offset(&frame->symbol);
	return true;
}

bool perf_script_parse_only_frame(struct text_cursor rest, struct perf_script_frame *frame)
{
	struct text_cursor address = rest;
	uint64_t number;

	/* The text of a tracepoint follows after one blank. */
	text_skip_blanks(&address);
	return text_take_hex(&address, &number) && address.at - rest.at > ADDRESS_WIDTH &&
	       perf_script_parse_frame(rest, frame);
}

/*
 * Is the rest of a head empty, or a frame? A head without a time must have such a rest: otherwise
 * any text could look like a sample.
 */
static bool is_blank_or_frame(struct text_cursor rest)
{
	struct perf_script_frame frame;

	if (perf_script_parse_only_frame(rest, &frame))
		return true;
	text_skip_blanks(&rest);
	return rest.at == rest.end;
}

/* Takes the next word if it is TID or PID/TID. */
static bool take_tid(struct text_cursor *c, struct perf_script_head *head)
{
	struct text_cursor word = text_take_token(c);

	if (!text_take_signed(&word, &head->tid))
		return false;
	head->has_pid = text_take(&word, "/");
	head->pid = head->tid;
	if (head->has_pid && !text_take_signed(&word, &head->tid))
		return false;
	return word.at == word.end;
}

static void take_cpu(struct text_cursor *c)
{
	struct text_cursor rest = *c;
	int64_t cpu;

	if (text_take(&rest, "[") && text_take_number(&rest, &cpu) && text_take(&rest, "]")) {
		*c = rest;
		text_skip_blanks(c);
	}
}

/* SECONDS.FRACTION: with six or nine digits after the point. */
static bool take_time(struct text_cursor *c, int64_t *time_ns)
{
	struct text_cursor rest = *c;
	const char *fraction_at;
	int64_t seconds, fraction;

	if (!text_take_number(&rest, &seconds) || !text_take(&rest, "."))
		return false;
	fraction_at = rest.at;
	if (!text_take_number(&rest, &fraction))
		return false;
	for (size_t digits = rest.at - fraction_at; digits < 9; digits++)
		fraction *= 10;
	if (!text_take(&rest, ":") || (rest.at < rest.end && !text_is_blank(*rest.at)) ||
	    __builtin_mul_overflow(seconds, 1000000000, time_ns) ||
	    __builtin_add_overflow(*time_ns, fraction, time_ns))
		return false;
	*c = rest;
	text_skip_blanks(c);
	return true;
}

static bool take_event(struct text_cursor *c, struct perf_script_head *head)
{
	struct text_cursor word = text_take_token(c);

	/* A number with ":" is a time. Then the word before it was not the tid. */
	if (text_left(&word) < 2 || word.end[-1] != ':' || text_is_digit(*word.at))
		return false;
	head->event = (struct text_cursor){ word.at, word.end - 1 };
	head->rest = *c;
	return true;
}

static void take_period(struct text_cursor *c, struct perf_script_head *head)
{
	struct text_cursor rest = *c;

	head->period = 1;
	head->has_period = text_take_number(&rest, &head->period) && text_skip_blanks(&rest);
	if (head->has_period)
		*c = rest;
	else
		head->period = 1;
}

/* [CPU] TIME: PERIOD EVENT: REST, after the tid. */
static bool take_tail(struct text_cursor c, struct perf_script_head *head)
{
	static const char sideband[] = "PERF_RECORD_";

	text_skip_blanks(&c);
	take_cpu(&c);
	head->has_time = take_time(&c, &head->time_ns);
	head->event = (struct text_cursor){ c.end, c.end };
	head->rest = head->event;
	head->is_sideband = head->has_time && text_take(&c, sideband);
	take_period(&c, head);
	if (head->is_sideband || (head->has_time && c.at == c.end))
		return true;
	return take_event(&c, head) && (head->has_time || is_blank_or_frame(head->rest));
}

bool perf_script_parse_head(struct text_cursor line, struct perf_script_head *head)
{
	struct text_cursor c = line;

	for (text_skip_blanks(&c); c.at < c.end; text_skip_blanks(&c)) {
		head->comm = (struct text_cursor){ line.at, c.at };
		if (!take_tid(&c, head) || !take_tail(c, head))
			continue;
		text_trim(&head->comm);
		return true;
	}
	return false;
}
