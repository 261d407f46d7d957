/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef CONTROL_PCAPNG_H
#define CONTROL_PCAPNG_H

/*
 * pcapng as tshark reads it (draft-ietf-opsawg-pcapng): a section, one interface for each
 * stack, and a packet for each segment, of which the headers alone were captured.
 */

#include <stdio.h>

#include <leat_record.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONTROL_PCAPNG_TEXT_MAX 512u /* bytes of a comment or a name; what is longer is cut */

/* Begin the file. @p comment tells why it was written. */
void control_pcapng_section(FILE *out, const char *program, const char *comment);
/* Add an interface; they are counted from 0. Times are in microseconds. */
void control_pcapng_interface(FILE *out, const char *name);
/* Add a segment. @p offset_us is from its clock to Unix time. @p comment: of this packet. */
void control_pcapng_packet(FILE *out, uint32_t interface_id, const struct leat_record_seg *seg,
	uint64_t offset_us, const char *comment);

#ifdef __cplusplus
}
#endif

#endif /* CONTROL_PCAPNG_H */
