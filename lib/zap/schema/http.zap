# SPDX-License-Identifier: BSD-3-Clause
#
# HTTP messages in ZAP frames. The type of a frame is its user's: a Response is whole (type 2) or
# the head of a stream (3), a Chunk is data (4) or the end (5).

package leat_zap_http

struct Request type 1 {
	method  text  @0
	target  text  @8
	proto   text  @16
	headers bytes @24
	body    bytes @32
	trailer bytes @40
}

struct Response type 2 {
	status  u16   @0
	reason  text  @8
	proto   text  @16
	headers bytes @24
	body    bytes @32
	trailer bytes @40
}

struct Chunk type 4 {
	bytes bytes @0
}
