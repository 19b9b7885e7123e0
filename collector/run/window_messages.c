// SPDX-License-Identifier: GPL-2.0
#include "run/window_messages.h"

#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "aggregate/locations.h"
#include "aggregate/named_code.h"
#include "aggregate/profile_types.h"

enum record_type { RECORD_FILE = 1, RECORD_NAME, RECORD_BUILD_ID, RECORD_CODE };

struct record {
	uint32_t type;
	uint32_t size;		/* of the whole record, a multiple of 8 */
	uint32_t id;		/* of a location or a mapped file */
	uint32_t nr;		/* lines of a location or a run of code */
};

struct file_record {
	struct record head;
	struct window_message_file file;
};

struct code_record {
	struct record head;
	uint64_t start;
	uint64_t end;
};

/* A line of a location or a run of code. After the last one: strings name, linker name, file. */
struct line {
	uint64_t offset;
	uint32_t line;
	uint32_t column;
	uint32_t start_line;
	uint32_t has_file;
};

void window_send(struct window_sender *s)
{
	if (s->nr)
		send(s->fd, s->bytes, s->nr, MSG_NOSIGNAL);
	s->nr = 0;
}

/* Adds an empty record with `bytes` after its head. Returns NULL if it is too long. */
static struct record *add(struct window_sender *s, enum record_type type, uint32_t id, size_t bytes)
{
	size_t size = (sizeof(struct record) + bytes + 7) / 8 * 8;
	struct record *record;

	if (size > sizeof(s->bytes))
		return NULL;
	if (size > sizeof(s->bytes) - s->nr)
		window_send(s);
	record = (struct record *)(s->bytes + s->nr);
	memset(record, 0, size);
	record->type = type;
	record->size = size;
	record->id = id;
	s->nr += size;
	return record;
}

void window_send_file(struct window_sender *s, const struct window_message_file *file)
{
	struct file_record *record = (struct file_record *)
		add(s, RECORD_FILE, 0, sizeof(*record) - sizeof(record->head));

	record->file = *file;
	window_send(s);
}

void window_send_build_id(struct window_sender *s, uint32_t file, const char *build_id)
{
	size_t size = strlen(build_id) + 1;
	struct record *record = add(s, RECORD_BUILD_ID, file, size);

	if (record)
		memcpy(record + 1, build_id, size);
}

static const char *file_of(const struct frame *line)
{
	return line->file ? line->file : "";
}

static size_t text_bytes(const struct frame *lines, uint32_t nr)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < nr; i++)
		bytes += strlen(lines[i].name) + strlen(lines[i].system_name) +
			 strlen(file_of(&lines[i])) + 3;
	return bytes;
}

static size_t lines_bytes(const struct frame *lines, uint32_t nr)
{
	return nr * sizeof(struct line) + text_bytes(lines, nr);
}

static void put_lines(struct line *to, const struct frame *lines, uint32_t nr)
{
	char *text = (char *)(to + nr);

	for (uint32_t i = 0; i < nr; i++) {
		to[i] = (struct line){ lines[i].offset, lines[i].line, lines[i].column,
				       lines[i].start_line, !!lines[i].file };
		text = stpcpy(text, lines[i].name) + 1;
		text = stpcpy(text, lines[i].system_name) + 1;
		text = stpcpy(text, file_of(&lines[i])) + 1;
	}
}

void window_send_name(struct window_sender *s, uint32_t id, const struct frame *lines, uint32_t nr)
{
	struct record *record = add(s, RECORD_NAME, id, lines_bytes(lines, nr));

	if (!record)
		return;
	record->nr = nr;
	put_lines((struct line *)(record + 1), lines, nr);
}

void window_send_code(struct window_sender *s, const struct named_code_run *run)
{
	struct code_record *record = (struct code_record *)
		add(s, RECORD_CODE, run->file, sizeof(*record) - sizeof(record->head) +
		    lines_bytes(run->lines, run->nr_lines));

	if (!record)
		return;
	record->head.nr = run->nr_lines;
	record->start = run->start;
	record->end = run->end;
	put_lines((struct line *)(record + 1), run->lines, run->nr_lines);
}

static bool is_string(const char *s, size_t size)
{
	return memchr(s, 0, size);
}

static bool take_file(const struct record *record, const struct window_takers *takers)
{
	const struct file_record *r = (const struct file_record *)record;

	if (record->size < sizeof(*r) || r->file.profile_type >= PROFILE_TYPE_NR ||
	    !is_string(r->file.comm, sizeof(r->file.comm)) ||
	    !is_string(r->file.path, sizeof(r->file.path)))
		return false;
	takers->file(takers->ctx, &r->file);
	return true;
}

/* Returns the string at *text, and moves *text past it. Returns NULL if no NUL is before end. */
static const char *take_string(const char **text, const char *end)
{
	const char *string = *text, *nul = memchr(string, 0, end - string);

	if (nul)
		*text = nul + 1;
	return nul ? string : NULL;
}

/* The lines are `head` bytes after the start of the record. */
static bool take_lines(const struct record *record, size_t head, struct frame *lines)
{
	const char *end = (const char *)record + record->size;
	const struct line *from = (const struct line *)((const char *)record + head);
	const char *text = (const char *)(from + record->nr);

	if (record->nr > LOCATIONS_MAX_LINES ||
	    record->size < head + record->nr * sizeof(struct line))
		return false;
	for (uint32_t i = 0; i < record->nr; i++) {
		lines[i] = (struct frame){
			.line = from[i].line, .column = from[i].column,
			.start_line = from[i].start_line, .offset = from[i].offset,
		};
		lines[i].name = take_string(&text, end);
		lines[i].system_name = take_string(&text, end);
		lines[i].file = take_string(&text, end);
		if (!lines[i].name || !lines[i].system_name || !lines[i].file)
			return false;
		if (!from[i].has_file)
			lines[i].file = NULL;
	}
	return true;
}

static bool take_name(const struct record *record, const struct window_takers *takers)
{
	struct frame lines[LOCATIONS_MAX_LINES];

	if (!take_lines(record, sizeof(*record), lines))
		return false;
	takers->name(takers->ctx, record->id, lines, record->nr);
	return true;
}

static bool take_code(const struct record *record, const struct window_takers *takers)
{
	const struct code_record *r = (const struct code_record *)record;
	struct frame lines[LOCATIONS_MAX_LINES];
	struct named_code_run run = {
		.file = record->id, .nr_lines = record->nr, .lines = lines,
	};

	if (record->size < sizeof(*r) || !take_lines(record, sizeof(*r), lines))
		return false;
	run.start = r->start;
	run.end = r->end;
	takers->code(takers->ctx, &run);
	return true;
}

static bool take_build_id(const struct record *record, const struct window_takers *takers)
{
	const char *text = (const char *)(record + 1);

	if (!is_string(text, record->size - sizeof(*record)))
		return false;
	takers->build_id(takers->ctx, record->id, text);
	return true;
}

static bool take_record(const struct record *record, const struct window_takers *takers)
{
	switch (record->type) {
	case RECORD_FILE:
		return take_file(record, takers);
	case RECORD_NAME:
		return take_name(record, takers);
	case RECORD_BUILD_ID:
		return take_build_id(record, takers);
	case RECORD_CODE:
		return take_code(record, takers);
	}
	return false;
}

void window_take_message(const void *bytes, size_t nr, const struct window_takers *takers)
{
	const char *at = bytes;

	while (nr >= sizeof(struct record)) {
		const struct record *record = (const struct record *)at;

		if (record->size < sizeof(*record) || record->size % 8 || record->size > nr ||
		    !take_record(record, takers))
			return;
		at += record->size;
		nr -= record->size;
	}
}
