/* SPDX-License-Identifier: GPL-2.0 */
/* The folder in which libdebuginfod keeps the files of its servers. */
#ifndef COLLECTOR_DEBUGINFOD_CACHE_H
#define COLLECTOR_DEBUGINFOD_CACHE_H

#include <stdbool.h>

/*
 * Call this before libdebuginfod is used. Root uses a folder only by the rule of
 * symbol/cache_dir.h. It is $DEBUGINFOD_CACHE_PATH, or debuginfod_client in $XDG_CACHE_HOME or
 * $HOME/.cache. This sets DEBUGINFOD_CACHE_PATH to the folder that was checked, and so no user can
 * exchange it later. For other users libdebuginfod finds the folder itself.
 *
 * The first call decides. The main thread calls it, as setenv() needs.
 * Returns: false, after one message, if libdebuginfod must not be used.
 */
bool debuginfod_cache_prepare(void);

#endif /* COLLECTOR_DEBUGINFOD_CACHE_H */
