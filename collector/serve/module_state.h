/* SPDX-License-Identifier: GPL-2.0 */
/* Is the kernel module loaded? It may be removed and loaded again while a server runs. */
#ifndef COLLECTOR_MODULE_STATE_H
#define COLLECTOR_MODULE_STATE_H

#include <stdbool.h>

/* Is the module loaded now? Opens no session: the caller may have no rights. */
bool module_state_is_loaded(void);

/*
 * Prints a message if the module was removed or loaded since the last call. Before the first call
 * it counts as loaded. Call this from one thread.
 */
void module_state_watch(void);

#endif /* COLLECTOR_MODULE_STATE_H */
