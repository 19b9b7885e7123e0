/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A copy of the skeleton units of an ELF file, in an ELF image that is made here. libdw finds the
 * .dwo file of a skeleton by the path in the skeleton alone: no call of it takes a descriptor. That
 * path is not trusted. So all skeletons of the image have one path, which the caller chooses.
 */
#ifndef COLLECTOR_SKELETON_IMAGE_H
#define COLLECTOR_SKELETON_IMAGE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The offset of a skeleton's DIE in the file, and that of its copy in the image. */
struct skeleton {
	Dwarf_Off die;
	Dwarf_Off copy;
};

/* All zeroes: no image. */
struct skeleton_image {
	uint8_t *bytes;
	size_t nr_bytes;
	size_t room;
	Elf *elf;
	Dwarf *dw;
	struct skeleton *skeletons;	/* rising in die */
	size_t nr;
	size_t skeletons_room;
};

/*
 * Makes the image of all skeletons of dw. Call skeleton_image_fini() also after an error.
 * Returns: 0; -ENOMEM; or -EFBIG if the sections to copy are larger than in any real program.
 */
int skeleton_image_init(struct skeleton_image *image, Dwarf *dw, const char *dwo_path);

/* Frees the image, and the split units that libdw found for it. */
void skeleton_image_fini(struct skeleton_image *image);

/* Finds the copy of a skeleton by the offset of its DIE in the file. Returns false if not found. */
bool skeleton_image_find(const struct skeleton_image *image, Dwarf_Off die, Dwarf_Die *copy);

#endif /* COLLECTOR_SKELETON_IMAGE_H */
