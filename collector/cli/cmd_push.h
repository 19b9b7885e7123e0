/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect push`: sends profiles that are in files. */
#ifndef COLLECTOR_CMD_PUSH_H
#define COLLECTOR_CMD_PUSH_H

struct path_list;
struct push_settings;

/*
 * Sends one file after the other to all backends. A backend that is busy gets 30 s for each file.
 * Returns: 0 if all backends have taken all files; or not 0 after it printed the cause.
 */
int cmd_push_run(const struct push_settings *s, const struct path_list *files);

#endif /* COLLECTOR_CMD_PUSH_H */
