/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The folder in which names are kept from one run to the next: $CACHE_DIRECTORY, or
 * pprof-collect in $XDG_CACHE_HOME or in $HOME/.cache, made if it is missing. We have to
 * own it, and these folders around it, and nobody else may write to it. Where that can't
 * be, nothing is kept, and nobody is told. Any thread, and any process.
 */
#ifndef COLLECTOR_NAMECACHE_H
#define COLLECTOR_NAMECACHE_H

#include <stddef.h>

#include "symbol/file_identity.h"

struct namefile;

#define NAMECACHE_MAX_FILES	512
#define NAMECACHE_MAX_BYTES	(UINT64_C(256) << 20)

/* What was kept under the number of this file, for namefile_free(); or NULL. */
struct namefile *namecache_read(const struct fileid *id);

/*
 * Keeps an image, as a whole or not at all, in place of what there is under this
 * number. More than NAMECACHE_MAX_FILES, or _BYTES of all, are not kept: those go that
 * were not used for the longest time.
 */
void namecache_write(const struct fileid *id, const void *image, size_t bytes);

#endif /* COLLECTOR_NAMECACHE_H */
