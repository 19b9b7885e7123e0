/* SPDX-License-Identifier: GPL-2.0 */
/* Shows long output page by page, with $PAGER or less. less ends at once after a short text. */
#ifndef COLLECTOR_PAGER_H
#define COLLECTOR_PAGER_H

/*
 * Starts the pager, and connects standard output to it. Standard error is connected to it, too, if
 * it is a terminal: the pager would overwrite messages. Call this only if standard output is a
 * terminal, and before privileges_seal(), which forbids to start programs. Without a pager (PAGER
 * is empty or "cat", or no process can be started) nothing changes.
 */
void pager_start(void);

/*
 * Closes what goes to the pager, and waits until the pager has ended. Without a pager does nothing.
 */
void pager_end(void);

#endif /* COLLECTOR_PAGER_H */
