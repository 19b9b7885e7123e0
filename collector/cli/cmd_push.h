/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect push`: sends profiles that are in files. */
#ifndef COLLECTOR_CMD_PUSH_H
#define COLLECTOR_CMD_PUSH_H

struct path_list;
struct push_settings;

/*
 * Sends one file after the other to all backends. If a backend is busy, it is tried again for up to
 * 30 s a file. If it is still busy then, the remaining files are not sent.
 * Returns: 0 if all backends have taken all files; or not 0 after it printed the cause.
 */
int cmd_push_run(const struct push_settings *s, const struct path_list *files);

#endif /* COLLECTOR_CMD_PUSH_H */
