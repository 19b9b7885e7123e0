// SPDX-License-Identifier: GPL-2.0
#include "flame/assets.h"

/* The compiler runs in the folder of the Makefile, which lists these files, too. */
#define PAGE	"collector/flame/page/"
#define BEGIN(symbol)							\
	".section .rodata\n"						\
	".globl " #symbol "\n"						\
	".type " #symbol ", @object\n"					\
	#symbol ":\n"
#define FILE_BYTES(name)	".incbin \"" PAGE name "\"\n"
#define END(symbol)							\
	".byte 0\n"							\
	".size " #symbol ", . - " #symbol "\n"				\
	".previous\n"

asm(BEGIN(assets_page_html) FILE_BYTES("page.html") END(assets_page_html));
asm(BEGIN(assets_page_css) FILE_BYTES("page.css") END(assets_page_css));
asm(BEGIN(assets_colours_css) FILE_BYTES("colours.css") END(assets_colours_css));
asm(BEGIN(assets_script) FILE_BYTES("data.js") FILE_BYTES("views.js") FILE_BYTES("format.js")
	FILE_BYTES("chart.js") FILE_BYTES("table.js") FILE_BYTES("main.js") END(assets_script));
