/* SPDX-License-Identifier: GPL-2.0 */
/* What visitors.c replaces in a copy of the program visitor. */
#ifndef TESTS_DAY_VISITOR_H
#define TESTS_DAY_VISITOR_H

/* It takes four bytes in ULEB128. */
#define VISITOR_CFA_OFFSET	0x7654320

/* The start of the build ID that the linker gives it. */
#define VISITOR_BUILD_ID	"visitor:"

#endif /* TESTS_DAY_VISITOR_H */
