# SPDX-License-Identifier: BSD-3-Clause
#
# Each kind of field, in each layout.

package leat_kinds

struct Point packed {
	x i32
	y i32
}

struct Scalars version 2 type 7 {
	flag   bool @0
	small  i8   @1
	short_ i16  @2
	whole  i32  @4
	wide   i64  @8
	single f32  @16	# bytes 20 to 23 are a gap
	double_ f64 @24
	byte   u8   @32
}

struct Fixed packed {
	count u16
	hash  bytes[32]
	name  text
}

struct Tree aligned {
	level  u8
	path   []inline Point
	bytes_ []u8
	words  []u32
	longs  []u64
	names  []text
	blobs  []bytes
	leaves []Fixed
	parent Tree
	tag    bytes[3]
	label  text
}
