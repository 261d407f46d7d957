# SPDX-License-Identifier: BSD-3-Clause
#
# The envelopes of calls and answers.

package leat_zap_rpc

struct Request version 2 type 200 {
	method  u32   @0	# ordinal in its interface, from 1 on
	promise u32   @4	# the caller's name for the answer, 0: none
	target  u32   @8	# the promise whose answer is the parameter, 0: none
	cap     bytes @12
	payload bytes @20	# a message
}

struct Response version 2 type 200 {
	status  u32   @0
	promise u32   @4
	body    bytes @12	# a message, or nothing
}
