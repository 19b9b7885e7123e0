/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is mapped where: a parser of /proc/PID/maps, and the executable
 * mappings of one address space.
 */
#ifndef COLLECTOR_MAPS_H
#define COLLECTOR_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One line of /proc/PID/maps; see proc(5). */
struct maps_entry {
	uint64_t start;
	uint64_t end;
	uint64_t offset;	/* of start in the file, bytes */
	uint64_t ino;
	uint32_t dev_major;
	uint32_t dev_minor;
	bool executable;
	bool deleted;		/* the name ended in " (deleted)" */
	const char *name;	/* in the line: no NUL behind it, still escaped */
	size_t name_len;	/* 0: no name */
};

/*
 * Parses a line, with or without its newline; bytes behind that are ignored.
 * 0, or -EINVAL for what the kernel would not write. *out points into line.
 */
int maps_parse_line(const char *line, size_t len, struct maps_entry *out);

/*
 * Copies an entry's name to buf, NUL-terminated, with "\012" turned back into
 * the newline that the kernel wrote so. Its length, or -ENAMETOOLONG.
 */
int maps_entry_name(const struct maps_entry *e, char *buf, size_t size);

/* Cuts the kernel's mark of a deleted file off a name that is more than that. */
void maps_trim_deleted(char *name);

/*
 * A mapping of `file`, a number that is the caller's. Two ranges are parts of
 * one mapping if the files and start - offset are equal; for memory without a
 * file, let the offset be the start.
 */
struct maps_range {
	uint64_t start;
	uint64_t end;		/* the first byte behind it */
	uint64_t offset;	/* of start in the file, bytes */
	uint32_t file;
	uint64_t since_ns;	/* of parts that became one, the newest's */
};

/* Sorted ranges that do not overlap. */
struct maps;

/* An empty set. NULL with errno ENOMEM. */
struct maps *maps_new(void);

/* A copy, for the child of a fork. NULL with errno ENOMEM. */
struct maps *maps_copy(const struct maps *m);

/* What it takes of memory. */
size_t maps_bytes(const struct maps *m);

/* NULL is fine. */
void maps_free(struct maps *m);

/*
 * Inserts a range, which replaces whatever it covers: 0 if nothing was there
 * but parts of the same mapping (with these, and with those that touch it, it
 * becomes one range), 1 if other mappings were cut (what is not covered of
 * them stays). -EINVAL if the range is empty; -ENOMEM. Nothing changed then.
 */
int maps_insert(struct maps *m, const struct maps_range *range);

/*
 * The same for a range that may be heard of late: other mappings that are newer stay
 * as they are. -ENOMEM leaves a part of it inserted.
 */
int maps_insert_late(struct maps *m, const struct maps_range *range);

/* Would maps_insert_late() return 1? */
bool maps_replaces(const struct maps *m, const struct maps_range *range);

/* Gives the ranges of one file to another, of which m has none. */
void maps_replace_file(struct maps *m, uint32_t file, uint32_t by);

/* The range that holds addr, or NULL. Valid until the next insertion. */
const struct maps_range *maps_find(const struct maps *m, uint64_t addr);

/* The number of ranges. */
size_t maps_nr(const struct maps *m);

/* Range i below maps_nr(), in order of address. Valid until the next insertion. */
const struct maps_range *maps_at(const struct maps *m, size_t i);

#endif /* COLLECTOR_MAPS_H */
