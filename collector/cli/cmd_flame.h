/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect flame`: a profile as a flame graph. */
#ifndef COLLECTOR_CMD_FLAME_H
#define COLLECTOR_CMD_FLAME_H

struct file_settings;

/*
 * Reads the profiles and writes the graph: an SVG if the output's name ends in .svg, else a page.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int cmd_flame_run(const struct file_settings *s);

#endif /* COLLECTOR_CMD_FLAME_H */
