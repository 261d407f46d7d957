#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Schemas that gen_sbe.py refuses, and what it says; the numbers that it computes."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

import gen_sbe  # noqa: E402

TYPES = """<types>
<composite name="messageHeader"><type name="a" primitiveType="uint16"/>
<type name="b" primitiveType="uint16"/><type name="c" primitiveType="uint16"/>
<type name="d" primitiveType="uint16"/></composite>
<composite name="groupSizeEncoding"><type name="a" primitiveType="uint16"/>
<type name="b" primitiveType="uint16"/></composite>
<composite name="varDataEncoding"><type name="a" primitiveType="uint32"/>
<type name="b" primitiveType="uint8"/></composite></types>"""
KEY = '<data id="1" name="key" type="varDataEncoding"/>'
FLAGS = '<field id="2" name="flags" type="uint8"/>'


def schema(messages: str, attributes: str = 'id="7" version="2"', types: str = TYPES) -> str:
    """A whole schema around messages."""
    return (
        f'<s:messageSchema xmlns:s="http://fixprotocol.io/2016/sbe" {attributes}>'
        f"{types}{messages}</s:messageSchema>"
    )


def message(content: str, name: str = "Get", ident: str = "22", role: str = "request") -> str:
    """One message."""
    return f'<s:message name="{name}" id="{ident}" semanticType="{role}">{content}</s:message>'


def group(content: str, name: str = "keys", ident: str = "9") -> str:
    """One group."""
    return f'<group id="{ident}" name="{name}">{content}</group>'


class Refused(unittest.TestCase):
    """Each wrong schema is refused with a sentence that names the place."""

    def refuse(self, text: str, said: str) -> None:
        """Expect exactly these words."""
        with self.assertRaises(gen_sbe.SchemaError) as caught:
            gen_sbe.parse(text)
        self.assertEqual(said, str(caught.exception))

    def test_not_a_schema(self) -> None:
        """Other documents."""
        with self.assertRaisesRegex(gen_sbe.SchemaError, "^not XML: "):
            gen_sbe.parse("<a>")
        self.refuse("<a/>", "the root is a, not sbe:messageSchema")
        self.refuse(schema(""), "no messages")
        self.refuse(schema("<x/>"), "<x> is neither types nor sbe:message")

    def test_what_lib_sbe_cannot_read(self) -> None:
        """Byte order, header, dimensions, data."""
        big = 'id="7" version="2" byteOrder="bigEndian"'
        self.refuse(schema(message(KEY), big), "byteOrder: only littleEndian is known")
        short = TYPES.replace("uint32", "uint16")
        said = "types: varDataEncoding must be uint32 uint8"
        self.refuse(schema(message(KEY), types=short), said)

    def test_numbers(self) -> None:
        """Ids and versions out of range or missing."""
        said = "messageSchema: id 65536 is not a number from 0 to 65535"
        self.refuse(schema(message(KEY), 'id="65536" version="2"'), said)
        said = "Get: id 256 is not a number from 1 to 255"
        self.refuse(schema(message(KEY, ident="256")), said)
        said = "Get.key: id x is not a number from 1 to 65535"
        self.refuse(schema(message(KEY.replace('"1"', '"x"'))), said)
        said = "Get: <data> has no name"
        self.refuse(schema(message('<data id="1" type="varDataEncoding"/>')), said)

    def test_ids(self) -> None:
        """One id is one name of one type, once in a message."""
        twice = KEY + KEY.replace("key", "value")
        self.refuse(schema(message(twice)), "Get.value: id 1 is used twice in the message")
        within = group(KEY) + KEY
        self.refuse(schema(message(within)), "Get.key: id 1 is used twice in the message")
        other = message(KEY) + message(KEY.replace("key", "value"), "Set", "23")
        self.refuse(schema(other), "Set.value: id 1 is that of data key")

    def test_names(self) -> None:
        """Names that are none, or are there twice."""
        self.refuse(schema(message(KEY.replace("key", "a-b"))), "Get: 'a-b' is not a name")
        self.refuse(schema(message(KEY, name="1x")), "message: '1x' is not a name")
        again = KEY + KEY.replace('"1"', '"3"')
        self.refuse(schema(message(again)), "Get: key is there twice")
        self.refuse(schema(message(KEY) * 2), "messages: 22 is there twice")
        other = message(KEY) + message(KEY, "GET", "23")
        self.refuse(schema(other), "messages: get is there twice")

    def test_order(self) -> None:
        """Fields, then groups, then data."""
        self.refuse(schema(message(KEY + FLAGS)), "Get: a field behind a data")
        behind = KEY + group(FLAGS)
        self.refuse(schema(message(behind)), "Get: a group behind a data")
        self.refuse(schema(message("<x/>")), "Get: <x> is not a field, group or data")

    def test_groups(self) -> None:
        """What groups may be."""
        two = group(KEY) + group(FLAGS, "args", "10")
        self.refuse(schema(message(two)), "Get.args: a second group beside keys")
        nested = group(group(KEY, "args", "10"))
        self.refuse(schema(message(nested)), "Get.keys.args: a group in a group")
        self.refuse(schema(message(group(""))), "Get.keys: an empty group")
        other = group(KEY).replace('name="keys"', 'name="keys" dimensionType="x"')
        self.refuse(schema(message(other)), "Get.keys: unknown dimensionType")

    def test_fields_and_data(self) -> None:
        """Types, presence, offsets, and how much data."""
        said = "Get.flags: unknown type char"
        self.refuse(schema(message(FLAGS.replace("uint8", "char"))), said)
        optional = FLAGS.replace("/>", ' presence="optional"/>')
        self.refuse(schema(message(optional)), "Get.flags: only required fields are known")
        offset = FLAGS.replace("/>", ' offset="4"/>')
        said = "Get.flags: fields lie side by side, without offset"
        self.refuse(schema(message(offset)), said)
        kind = KEY.replace("varDataEncoding", "text")
        self.refuse(schema(message(kind)), "Get.key: unknown type text")
        data = [f'<data id="{i}" name="d{i}" type="varDataEncoding"/>' for i in range(1, 5)]
        self.refuse(schema(message("".join(data))), "Get: 4 pieces of data are too many")
        self.refuse(
            schema(message(group("".join(data[:3])))), "Get.keys: 3 pieces of data are too many"
        )
        said = "Get: semanticType x is neither request nor reply"
        self.refuse(schema(message(KEY, role="x")), said)


class Made(unittest.TestCase):
    """What comes of a right schema."""

    def test_lengths(self) -> None:
        """Blocks are the sum of their fields."""
        content = FLAGS + group('<field id="3" name="score" type="double"/>' + KEY)
        body = gen_sbe.parse(schema(message(content))).messages[0].body
        assert body.group is not None
        self.assertEqual((1, 8, ["key"]), (body.block_len, body.group.block_len, body.group.data))

    def test_names(self) -> None:
        """Names in C."""
        names = [gen_sbe.snake(name) for name in ("ZAdd", "expireMode", "PExpireAt", "Get")]
        self.assertEqual(["zadd", "expire_mode", "pexpire_at", "get"], names)

    def test_sorted(self) -> None:
        """Messages come by id, whatever their order in the schema."""
        text = schema(message(KEY, "B", "5") + message(KEY, "A", "3"))
        self.assertEqual([3, 5], [m.template_id for m in gen_sbe.parse(text).messages])

    def test_width(self) -> None:
        """No line of what is made is over 100 columns."""
        text = (ROOT / "lib/sbe/schema/leat-sbe.xml").read_text(encoding="utf-8")
        made = gen_sbe.parse(text)
        for line in (gen_sbe.header(made) + gen_sbe.source(made)).splitlines():
            self.assertLessEqual(len(line.expandtabs(8)), 100, line)


if __name__ == "__main__":
    unittest.main()
