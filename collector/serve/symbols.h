/* SPDX-License-Identifier: GPL-2.0 */
/* Names of addresses in the memory of a process. */
#ifndef COLLECTOR_SERVE_SYMBOLS_H
#define COLLECTOR_SERVE_SYMBOLS_H

#include <stdio.h>
#include <sys/types.h>

/*
 * Reads addresses from text_fd (see http/symbol_numbers.h), and writes "num_symbols: 1". Then it
 * writes a line "0xADDRESS NAME" for each address in the code of process pid whose function is
 * known. With pid 0 there is no such line. After an address that cannot be read the last line is
 * "reading request: CAUSE", as in Go.
 * Returns: 0, or -1 after it printed the cause.
 */
int serve_symbols_write(pid_t pid, int text_fd, FILE *out);

#endif /* COLLECTOR_SERVE_SYMBOLS_H */
