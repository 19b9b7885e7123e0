/* SPDX-License-Identifier: GPL-2.0 */
/* The folder in which libdebuginfod keeps the files of its servers. */
#ifndef COLLECTOR_DEBUGINFOD_CACHE_H
#define COLLECTOR_DEBUGINFOD_CACHE_H

#include <stdbool.h>

/*
 * Call this before libdebuginfod is used. For root it checks the folder by the rule of
 * symbol/cache_dir.h. The folder is $DEBUGINFOD_CACHE_PATH, or debuginfod_client in $XDG_CACHE_HOME
 * or $HOME/.cache. If it passes, DEBUGINFOD_CACHE_PATH is set to it by descriptor, so that no user
 * can replace it later. For other users libdebuginfod finds the folder itself.
 *
 * The first call decides: later calls return its result. Only the main thread may call this, as
 * setenv() is not safe while other threads read the environment.
 * Returns: false, after one message, if libdebuginfod must not be used.
 */
bool debuginfod_cache_prepare(void);

#endif /* COLLECTOR_DEBUGINFOD_CACHE_H */
