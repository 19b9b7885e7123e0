/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A parser for lines of /proc/PID/maps, and a set of address ranges: the executable mappings of
 * one address space.
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
	uint64_t offset;	/* of start in the file, in bytes */
	uint64_t ino;
	uint32_t dev_major;
	uint32_t dev_minor;
	bool executable;
	bool deleted;		/* the name ended in " (deleted)"; name_len excludes that */
	/* Points into the line: no NUL at its end, and newlines are still escaped. */
	const char *name;
	size_t name_len;	/* 0 if there is no name */
};

/*
 * Parses one line of len bytes, with or without its newline. Bytes after the newline are
 * ignored. out->name points into line.
 * Returns: 0, or -EINVAL if the kernel would not write such a line; *out is undefined then.
 */
int maps_parse_line(const char *line, size_t len, struct maps_entry *out);

/*
 * Copies the name of an entry to buf, with a NUL. "\012" becomes a newline again: the kernel
 * escapes it so.
 * Returns: the length, or -ENAMETOOLONG if it does not fit into size bytes.
 */
int maps_entry_name(const struct maps_entry *e, char *buf, size_t size);

/*
 * Removes " (deleted)" from the end of a name, in place. A name that consists of nothing else
 * stays unchanged.
 */
void maps_trim_deleted(char *name);

/*
 * A range of addresses that is mapped to `file`. Two ranges belong to one mapping if file and
 * start - offset are equal. For memory without a file, set the offset to start.
 */
struct maps_range {
	uint64_t start;
	uint64_t end;		/* the first byte after the range */
	uint64_t offset;	/* of start in the file, in bytes */
	/* A number that the user of the set chooses. */
	uint32_t file;
	/* When the mapping was made. Of parts that were joined, the newest. */
	uint64_t since_ns;
};

/* A sorted set of ranges that do not overlap. */
struct maps;

/*
 * Makes an empty set; maps_free() frees it.
 * Returns: the set, or NULL with errno ENOMEM.
 */
struct maps *maps_new(void);

/*
 * Copies a set, for the child of a fork; maps_free() frees the copy.
 * Returns: the copy, or NULL with errno ENOMEM.
 */
struct maps *maps_copy(const struct maps *m);

/* Returns the memory that the set uses, in bytes. */
size_t maps_bytes(const struct maps *m);

/* Frees the set. m may be NULL. */
void maps_free(struct maps *m);

/*
 * Inserts a range and replaces what it overlaps. Parts of the same mapping that overlap or touch
 * the range are joined with it. The parts of other mappings outside of the range stay.
 * Returns: 1 if a part of another mapping was replaced, 0 if not; -EINVAL if the range is empty;
 * -ENOMEM. On failure the set is unchanged.
 */
int maps_insert(struct maps *m, const struct maps_range *range);

/*
 * As maps_insert(), for a range that may be reported late: other mappings whose since_ns is
 * newer stay as they are. After -ENOMEM a part of the range may be inserted.
 */
int maps_insert_late(struct maps *m, const struct maps_range *range);

/* Would maps_insert_late() replace a part of another mapping, and return 1? */
bool maps_replaces(const struct maps *m, const struct maps_range *range);

/*
 * Returns a copy of m, covered by the ranges of over, or NULL without memory. The caller frees it.
 */
struct maps *maps_copy_below(const struct maps *m, const struct maps *over);

/*
 * Changes the file number of all ranges of `file` to `by`. Ranges are not joined here, even if they
 * now continue their neighbours.
 */
void maps_replace_file(struct maps *m, uint32_t file, uint32_t by);

/*
 * Returns the range that contains addr, or NULL. The set owns it; it is valid until the next
 * change.
 */
const struct maps_range *maps_find(const struct maps *m, uint64_t addr);

/* Returns the number of ranges. */
size_t maps_nr(const struct maps *m);

/* Returns range i, below maps_nr(), in order of address. It is valid until the next change. */
const struct maps_range *maps_at(const struct maps *m, size_t i);

#endif /* COLLECTOR_MAPS_H */
