/* SPDX-License-Identifier: GPL-2.0 */
/* The files in collector/flame/page/, which are part of the program. */
#ifndef COLLECTOR_FLAME_ASSETS_H
#define COLLECTOR_FLAME_ASSETS_H

/* Each has a NUL at its end. */
extern const char assets_page_html[];	/* a template: see flame/page.c */
extern const char assets_page_css[];
extern const char assets_colours_css[];	/* the colours of frames, for pages and pictures */
extern const char assets_script[];	/* all .js, in the order of their use */

#endif /* COLLECTOR_FLAME_ASSETS_H */
