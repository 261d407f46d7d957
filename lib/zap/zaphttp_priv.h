/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_ZAPHTTP_PRIV_H
#define LEAT_ZAPHTTP_PRIV_H

/**
 * @file
 * The JSON generation of header blocks, between the files of lib/zap.
 */

#include <leat_zaphttp.h>

/** leat_zaphttp_walk_next() for a block that is a JSON object. */
int zaphttp_json_next(struct leat_zaphttp_walk *walk, struct leat_zaphttp_field *field);

/** Whether a field is left out of what we write. */
bool zaphttp_is_left_out(enum leat_zaphttp_generation generation, struct leat_slice name);

/** Write a block as a JSON object; at least one of its fields is not left out. */
void zaphttp_json_put(struct leat_writer *w, struct leat_zaphttp_fields fields);

#endif /* LEAT_ZAPHTTP_PRIV_H */
