// SPDX-License-Identifier: GPL-2.0
#include "analysis/unit.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"
#include "pprof/value_unit.h"

static bool is_automatic(const char *unit)
{
	return !strcmp(unit, UNIT_AUTO) || !strcmp(unit, UNIT_MINIMUM);
}

/* Units that say nothing about a number. */
static bool is_silent(const char *unit)
{
	return !strcmp(unit, "count") || !strcmp(unit, "sample") || !strcmp(unit, "unit") ||
	       is_automatic(unit);
}

static struct unit_value scale_known(double number, const struct value_unit *from, const char *to)
{
	double base = number * from->factor;
	const struct value_unit *target;

	if (is_automatic(to)) {
		target = value_unit_for(from->quantity, base);
	} else {
		target = value_unit_find(to);
		if (!target || target->quantity != from->quantity)
			target = value_unit_default(from->quantity);
	}
	return (struct unit_value){ .number = base / target->factor, .unit = target->symbol };
}

struct unit_value unit_scale(int64_t value, const char *from, const char *to)
{
	const struct value_unit *unit = value_unit_find(from);
	bool is_negated = value < 0 && value != INT64_MIN;
	struct unit_value scaled;

	if (!unit)
		return (struct unit_value){ .number = value, .unit = is_silent(to) ? "" : to };
	/* As in pprof: INT64_MIN has no positive counterpart, and gets the default unit. */
	scaled = scale_known(is_negated ? -value : value, unit, to);
	if (is_negated)
		scaled.number = -scaled.number;
	return scaled;
}

struct unit_label unit_label(int64_t value, const char *from, const char *to)
{
	struct unit_value scaled = unit_scale(value, from, to);
	struct unit_label label = { .unit = scaled.unit };
	int len = snprintf(label.number, sizeof(label.number), "%.2f", scaled.number);

	if (!strcmp(label.number + len - 3, ".00"))
		label.number[len - 3] = '\0';
	if (!strcmp(label.number, "0") || !strcmp(label.number, "-0"))
		label = (struct unit_label){ .number = "0", .unit = "" };
	return label;
}

size_t unit_label_width(const struct unit_label *label)
{
	return strlen(label->number) + utf8_width(label->unit, strlen(label->unit));
}

void unit_label_print(FILE *out, const struct unit_label *label, size_t width)
{
	for (size_t at = unit_label_width(label); at < width; at++)
		putc(' ', out);
	fputs(label->number, out);
	fputs(label->unit, out);
}

struct unit_percentage unit_percentage(int64_t value, int64_t total)
{
	double percent = total ? fabs((double)value / (double)total) * 100 : 0;
	struct unit_percentage p = { .text = "  100%" };

	if (percent >= 1 && !(percent >= 99.95 && percent <= 100.05))
		snprintf(p.text, sizeof(p.text), "%5.2f%%", percent);
	else if (percent < 1)
		snprintf(p.text, sizeof(p.text), "%5.2g%%", percent);
	return p;
}
