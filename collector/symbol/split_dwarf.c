// SPDX-License-Identifier: GPL-2.0
/*
 * The path of a .dwo file is chosen by the program. It may lead to a FIFO or a device. So libdw
 * does not see it: it sees copies of the skeletons, which all name "/proc/self/fd/SLOT". Before
 * libdw reads the split unit of a copy, its file is opened with care, and moved to that descriptor.
 */
#include "symbol/split_dwarf.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "elf/build_id.h"
#include "elf/debug_sections.h"
#include "elf/validate.h"
#include "symbol/skeleton_image.h"

/* The first version of libdw that reads more than one unit of a .dwp file: 0.191. */
#define DWP_MINOR	191

struct split_dwarf {
	Dwarf *dw;
	char *path;		/* NULL if not known */
	char *folder;
	int slot;		/* negative before the image is made */
	struct skeleton_image image;
	struct debug_fault fault;
};

struct split_dwarf *split_dwarf_new(Dwarf *dw, const char *path)
{
	struct split_dwarf *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->dw = dw;
	s->slot = -1;
	s->folder = build_id_folder_of(path);
	s->path = path ? strdup(path) : NULL;
	if (!path || s->path)
		return s;
	split_dwarf_free(s, false);
	errno = ENOMEM;
	return NULL;
}

void split_dwarf_free(struct split_dwarf *s, bool is_broken)
{
	if (!s)
		return;
	if (!is_broken)
		skeleton_image_fini(&s->image);
	if (s->slot >= 0)
		close(s->slot);
	free(s->fault.path);
	free(s->folder);
	free(s->path);
	free(s);
}

const struct debug_fault *split_dwarf_fault(const struct split_dwarf *s)
{
	return &s->fault;
}

static void set_fault(struct split_dwarf *s, enum debug_fault_cause cause, const char *path)
{
	if (s->fault.cause)
		return;
	s->fault.cause = cause;
	s->fault.path = strdup(path);
}

/* The slot is a descriptor that is open from the start, so that no other file gets its number. */
static int make_image(struct split_dwarf *s)
{
	char slot[32];
	int err;

	if (s->slot >= 0)
		return 0;
	s->slot = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (s->slot < 0)
		return 0;
	snprintf(slot, sizeof(slot), "/proc/self/fd/%d", s->slot);
	err = skeleton_image_init(&s->image, s->dw, slot);
	return err == -ENOMEM ? err : 0;
}

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(die, name, &attr));
}

/* Opens the file at a path that may be cut off. Returns a descriptor, or -1. */
static int open_checked(const char *path, int len)
{
	int fd = len < PATH_MAX ? regular_open(path) : -1;

	if (fd < 0)
		return -1;
	if (!elf_validate_file(fd))
		return fd;
	close(fd);
	return -1;
}

/* Each of these functions writes the path that it tried last. */

static int open_in(const char *folder, const char *name, char path[PATH_MAX])
{
	return open_checked(path, *name == '/' ? snprintf(path, PATH_MAX, "%s", name) :
			    snprintf(path, PATH_MAX, "%s/%s", folder, name));
}

static int open_dwo(struct split_dwarf *s, Dwarf_Die *skeleton, char path[PATH_MAX])
{
	const char *name = text_of(skeleton, DW_AT_dwo_name);
	const char *folder = text_of(skeleton, DW_AT_comp_dir);
	int fd = -1;

	if (!name)
		name = text_of(skeleton, DW_AT_GNU_dwo_name);
	if (!name || !*name)
		return -1;
	if (s->folder)
		fd = open_in(s->folder, name, path);
	return fd < 0 ? open_in(folder ? folder : "", name, path) : fd;
}

static bool reads_dwp(void)
{
	unsigned int major, minor;

	return sscanf(dwfl_version(NULL), "%u.%u", &major, &minor) == 2 &&
	       (major || minor >= DWP_MINOR);
}

static int open_dwp(struct split_dwarf *s, char path[PATH_MAX])
{
	char dwp[PATH_MAX];
	int fd;

	if (!s->path)
		return -1;
	fd = open_checked(dwp, snprintf(dwp, PATH_MAX, "%s.dwp", s->path));
	if (fd < 0)
		return -1;
	strcpy(path, dwp);
	if (reads_dwp())
		return fd;
	set_fault(s, DEBUG_FAULT_DWP, path);
	close(fd);
	return -1;
}

/* Moves the file to the slot, where libdw opens it, and lets libdw find the unit. */
static bool read_split(struct split_dwarf *s, int fd, Dwarf_Die *skeleton, Dwarf_Die *split)
{
	bool is_there = s->slot >= 0 && dup3(fd, s->slot, O_CLOEXEC) >= 0;
	Dwarf_Die copy;

	close(fd);
	return is_there && skeleton_image_find(&s->image, dwarf_dieoffset(skeleton), &copy) &&
	       !dwarf_cu_info(copy.cu, NULL, NULL, NULL, split, NULL, NULL, NULL) && split->addr;
}

int split_dwarf_find(struct split_dwarf *s, Dwarf_Die *skeleton, Dwarf_Die *split)
{
	char path[PATH_MAX] = "";
	int err = make_image(s), fd;

	if (err)
		return err;
	fd = open_dwo(s, skeleton, path);
	if (fd < 0)
		fd = open_dwp(s, path);
	if (fd >= 0 && debug_sections_are_unread(fd))
		set_fault(s, DEBUG_FAULT_COMPRESSION, path);
	if (fd >= 0 && read_split(s, fd, skeleton, split))
		return 1;
	set_fault(s, DEBUG_FAULT_SPLIT, path);
	return 0;
}
