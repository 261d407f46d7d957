/* SPDX-License-Identifier: BSD-3-Clause */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "control_priv.h"

#define DICT_FRAME_LEN  2u /* {} */
#define ENTRY_FRAME_LEN 4u /* "": and a comma */
#define TEXT_FRAME_LEN  2u /* the value's quotes */

int
control_dict_open(struct control_dict *dict, struct rte_tel_data *data)
{
	if (data == NULL)
		data = rte_tel_data_alloc();
	if (data == NULL)
		return -ENOMEM;
	(void)rte_tel_data_start_dict(data); /* always 0 */
	*dict = (struct control_dict){ .data = data, .len = DICT_FRAME_LEN };
	return 0;
}

/* Telemetry refuses names that are not of letters, digits, _ and /; those of ports may be. */
static const char *
name_clean(const char *name, char text[CONTROL_NAME_LEN])
{
	(void)snprintf(text, CONTROL_NAME_LEN, "%s", name); /* what is longer is cut */
	for (char *c = text; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '/')
			*c = '_';
	return text;
}

/* Is there room for a value of @p len bytes? */
static bool
dict_has_room(const struct control_dict *dict, const char *name, size_t len)
{
	return dict->nb_entries < RTE_TEL_MAX_DICT_ENTRIES &&
	       dict->len + strlen(name) + ENTRY_FRAME_LEN + len <= CONTROL_REPLY_LEN_MAX;
}

static void
dict_count(struct control_dict *dict, const char *name, size_t len)
{
	dict->nb_entries++;
	dict->len += strlen(name) + ENTRY_FRAME_LEN + len;
}

bool
control_dict_u64(struct control_dict *dict, const char *name, uint64_t value)
{
	char clean[CONTROL_NAME_LEN];
	size_t len = (size_t)snprintf(NULL, 0, "%" PRIu64, value);

	if (!dict_has_room(dict, name, len) ||
		rte_tel_data_add_dict_u64(dict->data, name_clean(name, clean), value) != 0)
		return false;
	dict_count(dict, name, len);
	return true;
}

bool
control_dict_text(struct control_dict *dict, const char *name, const char *text)
{
	char clean[CONTROL_NAME_LEN];
	size_t len = strlen(text) + TEXT_FRAME_LEN;

	if (!dict_has_room(dict, name, len) ||
		rte_tel_data_add_dict_string(dict->data, name_clean(name, clean), text) != 0)
		return false;
	dict_count(dict, name, len);
	return true;
}

bool
control_dict_add(struct control_dict *dict, const char *name, struct control_dict *child)
{
	char clean[CONTROL_NAME_LEN];

	if (!dict_has_room(dict, name, child->len) ||
		rte_tel_data_add_dict_container(
			dict->data, name_clean(name, clean), child->data, 0) != 0) {
		control_dict_free(child);
		return false;
	}
	dict_count(dict, name, child->len);
	child->data = NULL;
	return true;
}

void
control_dict_free(struct control_dict *dict)
{
	rte_tel_data_free(dict->data);
	dict->data = NULL;
}
