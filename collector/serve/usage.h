/* SPDX-License-Identifier: GPL-2.0 */
/* The resource usage of the server itself. */
#ifndef COLLECTOR_SERVE_USAGE_H
#define COLLECTOR_SERVE_USAGE_H

struct metrics;

/*
 * Raises the CPU time in m to that of this process and of all below it, and sets their memory. A
 * process that ends meanwhile may count twice, until the next call: the time never falls.
 */
void serve_usage_measure(struct metrics *m);

#endif /* COLLECTOR_SERVE_USAGE_H */
