// SPDX-License-Identifier: GPL-2.0
#include "formats/function_set.h"

#include "formats/text_cursor.h"
#include "pprof/model.h"

enum { NAME, FILE_NAME, NR_STRINGS };

int function_set_init(struct function_set *s, struct model *m)
{
	s->m = m;
	return span_set_init(&s->names, sizeof(uint32_t));
}

void function_set_fini(struct function_set *s)
{
	span_set_fini(&s->names);
}

int64_t function_set_add(struct function_set *s, const struct text_cursor *name,
			 const struct text_cursor *file)
{
	int64_t name_id = model_add_string(s->m, name->at, text_left(name));
	int64_t file_id = model_add_string(s->m, file->at, text_left(file));
	const uint32_t strings[NR_STRINGS] = { [NAME] = name_id, [FILE_NAME] = file_id };
	const struct model_function function = {
		.name = name_id, .system_name = name_id, .file = file_id,
	};
	int64_t id;

	if (name_id < 0 || file_id < 0)
		return name_id < 0 ? name_id : file_id;
	id = span_set_add(&s->names, strings, NR_STRINGS);
	if (id < 0 || (size_t)id <= s->m->functions.nr)
		return id < 0 ? id : id - 1;
	return model_add_function(s->m, &function);
}
