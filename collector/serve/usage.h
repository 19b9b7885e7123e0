/* SPDX-License-Identifier: GPL-2.0 */
/* The resource usage of the server itself. */
#ifndef COLLECTOR_SERVE_USAGE_H
#define COLLECTOR_SERVE_USAGE_H

#include <sys/types.h>

struct metrics;

/* Sets the CPU time of this process and of the runner, and the memory of this process. */
void serve_usage_measure(struct metrics *m, pid_t runner);

#endif /* COLLECTOR_SERVE_USAGE_H */
