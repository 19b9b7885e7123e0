/* SPDX-License-Identifier: GPL-2.0 */
/* Is the module there? It may be removed and loaded again while a server runs. */
#ifndef COLLECTOR_MODULE_STATE_H
#define COLLECTOR_MODULE_STATE_H

#include <stdbool.h>

/* Returns whether the module is loaded now. Opens no session: the caller may have no rights. */
bool module_state_is_loaded(void);

/* Prints that the module has gone, or has come back, since the last call. */
void module_state_watch(void);

#endif /* COLLECTOR_MODULE_STATE_H */
