#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make the layouts, accessors and encoders of lib/sbe from an XML schema of FIX SBE 1.0.

What the schema may hold is what lib/sbe can decode: little-endian, numbers as fields, one
group in a message, no group in a group, data with a length of 32 bits.
"""

from __future__ import annotations

import argparse
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

NAMESPACE = "{http://fixprotocol.io/2016/sbe}"
# primitive type: C type, bytes, how it is read at @ and how $ is put there
TYPES = {
    "uint8": ("uint8_t", 1, "*(@)", "*(@) = $"),
    "uint16": ("uint16_t", 2, "leat_le16_get(@)", "leat_le16_put(@, $)"),
    "uint32": ("uint32_t", 4, "leat_le32_get(@)", "leat_le32_put(@, $)"),
    "uint64": ("uint64_t", 8, "leat_le64_get(@)", "leat_le64_put(@, $)"),
    "int64": ("int64_t", 8, "(int64_t)leat_le64_get(@)", "leat_le64_put(@, (uint64_t)$)"),
    "double": (
        "double",
        8,
        "leat_double_of_bits(leat_le64_get(@))",
        "leat_le64_put(@, leat_double_bits($))",
    ),
}
# composite: the primitive types of its members, in order
COMPOSITES = {
    "messageHeader": ["uint16", "uint16", "uint16", "uint16"],
    "groupSizeEncoding": ["uint16", "uint16"],
    "varDataEncoding": ["uint32", "uint8"],
}
DATA_MAX = 3  # LEAT_SBE_DATA_MAX
ENTRY_DATA_MAX = 2  # LEAT_SBE_ENTRY_DATA_MAX
TEMPLATE_ID_MAX = 255  # the layouts are an array
NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")


class SchemaError(Exception):
    """What is wrong with a schema, and where."""


@dataclass
class Body:
    """The fields and data of a message or of a group's entry."""

    name: str
    fields: list[tuple[str, str]] = field(default_factory=list)  # name, primitive type
    data: list[str] = field(default_factory=list)
    group: Body | None = None

    @property
    def block_len(self) -> int:
        """Bytes of the fixed fields, which lie side by side."""
        return sum(TYPES[kind][1] for _, kind in self.fields)


@dataclass
class Message:
    """One template."""

    template_id: int
    is_reply: bool
    body: Body


@dataclass
class Schema:
    """All templates, sorted by id."""

    schema_id: int
    version: int
    messages: list[Message]


def snake(name: str) -> str:
    """A name of the schema as one of C: expireMode is expire_mode, ZAdd is zadd."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def attribute(element: ET.Element, key: str, where: str) -> str:
    """An attribute that must be there."""
    value = element.get(key)
    if value is None:
        raise SchemaError(f"{where}: <{element.tag}> has no {key}")
    return value


def number(element: ET.Element, key: str, where: str, low: int, high: int) -> int:
    """A numeric attribute within bounds."""
    text = attribute(element, key, where)
    if not text.isdecimal() or not low <= int(text) <= high:
        raise SchemaError(f"{where}: {key} {text} is not a number from {low} to {high}")
    return int(text)


class Reader:
    """Reads messages and holds what is true of the whole schema."""

    def __init__(self) -> None:
        self.ids: dict[int, tuple[str, str]] = {}  # id: name and type, everywhere the same

    def member(self, element: ET.Element, kind: str, where: str, seen: set[int]) -> str:
        """Check the name and id of a field, group or data; returns the name."""
        name = attribute(element, "name", where)
        if not NAME.fullmatch(name):
            raise SchemaError(f"{where}: {name!r} is not a name")
        ident = number(element, "id", f"{where}.{name}", 1, 65535)
        if ident in seen:
            raise SchemaError(f"{where}.{name}: id {ident} is used twice in the message")
        seen.add(ident)
        if self.ids.setdefault(ident, (name, kind)) != (name, kind):
            other = " ".join(reversed(self.ids[ident]))
            raise SchemaError(f"{where}.{name}: id {ident} is that of {other}")
        return name

    def body(self, element: ET.Element, where: str, is_entry: bool, seen: set[int]) -> Body:
        """Read fields, then groups, then data: the order of the wire."""
        body = Body(attribute(element, "name", where))
        order = ["field", "group", "data"]
        names: set[str] = set()
        reached = 0
        for child in element:
            if child.tag not in order:
                raise SchemaError(f"{where}: <{child.tag}> is not a field, group or data")
            if order.index(child.tag) < reached:
                raise SchemaError(f"{where}: a {child.tag} behind a {order[reached]}")
            reached = order.index(child.tag)
            name = attribute(child, "name", where)
            if name in names:
                raise SchemaError(f"{where}: {name} is there twice")
            names.add(name)
            if child.tag == "field":
                body.fields.append(self.field(child, where, seen))
            elif child.tag == "group":
                body.group = self.group(child, where, body.group, is_entry, seen)
            else:
                body.data.append(self.data(child, where, seen))
        if len(body.data) > (ENTRY_DATA_MAX if is_entry else DATA_MAX):
            raise SchemaError(f"{where}: {len(body.data)} pieces of data are too many")
        return body

    def field(self, element: ET.Element, where: str, seen: set[int]) -> tuple[str, str]:
        """Read one fixed field."""
        kind = attribute(element, "type", where)
        name = self.member(element, kind, where, seen)
        if kind not in TYPES:
            raise SchemaError(f"{where}.{name}: unknown type {kind}")
        if element.get("presence", "required") != "required":
            raise SchemaError(f"{where}.{name}: only required fields are known")
        if element.get("offset") is not None:
            raise SchemaError(f"{where}.{name}: fields lie side by side, without offset")
        return name, kind

    def group(
        self, element: ET.Element, where: str, other: Body | None, is_entry: bool, seen: set[int]
    ) -> Body:
        """Read the one group that a message may have."""
        name = self.member(element, "group", where, seen)
        if is_entry:
            raise SchemaError(f"{where}.{name}: a group in a group")
        if other is not None:
            raise SchemaError(f"{where}.{name}: a second group beside {other.name}")
        if element.get("dimensionType", "groupSizeEncoding") != "groupSizeEncoding":
            raise SchemaError(f"{where}.{name}: unknown dimensionType")
        body = self.body(element, f"{where}.{name}", True, seen)
        if not body.fields and not body.data:
            raise SchemaError(f"{where}.{name}: an empty group")
        return body

    def data(self, element: ET.Element, where: str, seen: set[int]) -> str:
        """Read one piece of data."""
        name = self.member(element, "data", where, seen)
        if attribute(element, "type", where) != "varDataEncoding":
            raise SchemaError(f"{where}.{name}: unknown type {element.get('type')}")
        return name

    def message(self, element: ET.Element) -> Message:
        """Read one template."""
        name = attribute(element, "name", "message")
        if not NAME.fullmatch(name):
            raise SchemaError(f"message: {name!r} is not a name")
        template_id = number(element, "id", name, 1, TEMPLATE_ID_MAX)
        role = attribute(element, "semanticType", name)
        if role not in ("request", "reply"):
            raise SchemaError(f"{name}: semanticType {role} is neither request nor reply")
        return Message(template_id, role == "reply", self.body(element, name, False, set()))


def check_types(root: ET.Element) -> None:
    """Check that the composites are those that lib/sbe reads."""
    composites = {
        attribute(composite, "name", "types"): [
            attribute(kind, "primitiveType", "types") for kind in composite
        ]
        for composite in root.iterfind("types/composite")
    }
    for name, members in COMPOSITES.items():
        if composites.get(name) != members:
            raise SchemaError(f"types: {name} must be {' '.join(members)}")


def parse(text: str) -> Schema:
    """Read a schema; raises SchemaError with what is wrong with it."""
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise SchemaError(f"not XML: {error}") from error
    if root.tag != NAMESPACE + "messageSchema":
        raise SchemaError(f"the root is {root.tag}, not sbe:messageSchema")
    if root.get("byteOrder", "littleEndian") != "littleEndian":
        raise SchemaError("byteOrder: only littleEndian is known")
    check_types(root)
    for child in root:
        if child.tag not in ("types", NAMESPACE + "message"):
            raise SchemaError(f"<{child.tag}> is neither types nor sbe:message")
    reader = Reader()
    messages = [reader.message(element) for element in root.iterfind(NAMESPACE + "message")]
    for seen in ([str(m.template_id) for m in messages], [snake(m.body.name) for m in messages]):
        twice = sorted({key for key in seen if seen.count(key) > 1})
        if twice:
            raise SchemaError(f"messages: {', '.join(twice)} is there twice")
    if not messages:
        raise SchemaError("no messages")
    return Schema(
        number(root, "id", "messageSchema", 0, 65535),
        number(root, "version", "messageSchema", 0, 65535),
        sorted(messages, key=lambda message: message.template_id),
    )


def wrap(head: str, items: list[str], tail: str, indent: str = "\t") -> str:
    """Join items behind a head, in lines of at most 100 columns."""
    lines = [head]
    for i, item in enumerate(items):
        text = item + (", " if i < len(items) - 1 else tail)
        if len(lines[-1].expandtabs(8)) + len(text.rstrip()) > 100:
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
        lines[-1] += text
    return "\n".join(lines)


def field_getters(prefix: str, what: str, argument: str, body: Body) -> list[str]:
    """Functions that read a block's fields and the data behind it."""
    out = []
    offset = 0
    for name, kind in body.fields:
        c_type, size, read, _ = TYPES[kind]
        value = read.replace("@", f"from->block + {offset}")
        out.append(
            f"/** @return {name} of {what}. */\n"
            f"static inline {c_type}\n{prefix}_{snake(name)}({argument})\n{{\n"
            f"\treturn {value};\n}}\n"
        )
        offset += size
    for i, name in enumerate(body.data):
        out.append(
            f"/** @return {name} of {what}; borrowed from the frame. */\n"
            f"static inline struct leat_slice\n{prefix}_{snake(name)}({argument})\n{{\n"
            f"\treturn from->data[{i}];\n}}\n"
        )
    return out


def store_lines(body: Body, base: str, source: str) -> list[str]:
    """Statements that put a block's fields at base."""
    out = []
    offset = 0
    for name, kind in body.fields:
        _, size, _, put = TYPES[kind]
        at = f"{base} + {offset}"
        out.append(put.replace("@", at).replace("$", source + snake(name)) + ";")
        offset += size
    return out


def entry_struct(prefix: str, message: Message, group: Body) -> str:
    """The struct that an encoder takes for each entry."""
    lines = [f"/** An entry of {message.body.name}.{group.name}, to be encoded. */"]
    lines.append(f"struct {prefix}_{snake(group.name)} {{")
    lines += [f"\t{TYPES[kind][0]} {snake(name)};" for name, kind in group.fields]
    lines += [f"\tstruct leat_slice {snake(name)};" for name in group.data]
    return "\n".join([*lines, "};\n"])


def entry_loop(prefix: str, group: Body) -> list[str]:
    """Statements that write the entries."""
    c_name = snake(group.name)
    lines = ["", f"\tfor (uint32_t i = 0; i < nb_{c_name}; i++) {{"]
    lines.append(f"\t\tconst struct {prefix}_{c_name} *entry = &{c_name}[i];")
    if group.block_len > 0:
        lines.append(f"\t\tuint8_t block[{group.block_len}];")
    lines.append("")
    lines += ["\t\t" + line for line in store_lines(group, "block", "entry->")]
    if group.block_len > 0:
        lines.append("\t\tleat_writer_put(w, block, sizeof(block));")
    lines += [f"\t\tleat_sbe_put_data(w, entry->{snake(name)});" for name in group.data]
    return [*lines[1:], "\t}"]


def encoder(prefix: str, message: Message) -> str:
    """The function that writes a whole frame."""
    body = message.body
    group = body.group
    arguments = ["struct leat_writer *w"]
    arguments += [f"{TYPES[kind][0]} {snake(name)}" for name, kind in body.fields]
    if group is not None:
        c_name = snake(group.name)
        arguments += [f"const struct {prefix}_{c_name} *{c_name}", f"uint32_t nb_{c_name}"]
    arguments += [f"struct leat_slice {snake(name)}" for name in body.data]
    head_len = f"LEAT_SBE_HEAD_LEN + {body.block_len}"
    if group is not None:
        head_len += " + LEAT_SBE_DIMENSION_LEN"
    put = prefix.replace("leat_sbe_", "leat_sbe_put_", 1)
    lines = [
        f"/** Write a {body.name}. @return 0, or -EMSGSIZE: over a limit, nothing was written. */",
        "static inline int",
        wrap(f"{put}(", arguments, ")"),
        "{",
        f"\tuint8_t head[{head_len}];",
        "\tuint64_t len = sizeof(head);",
        "",
    ]
    if group is not None:
        lines += [f"\tif (nb_{c_name} > LEAT_SBE_ENTRIES_MAX)", "\t\treturn -EMSGSIZE;"]
        lines.append(f"\tfor (uint32_t i = 0; i < nb_{c_name}; i++)")
        sizes = [f"leat_sbe_data_len({c_name}[i].{snake(name)})" for name in group.data]
        sizes += [str(group.block_len)] if group.block_len > 0 or not sizes else []
        lines.append(wrap("\t\tlen += ", [" + ".join(sizes)], ";"))
    lines += [f"\tlen += leat_sbe_data_len({snake(name)});" for name in body.data]
    if body.data or (group is not None and group.data):
        lines += ["\tif (len > LEAT_SBE_FRAME_MAX)", "\t\treturn -EMSGSIZE;"]
    constant = prefix.upper()
    lines.append(f"\tleat_sbe_store_head(head, {constant}, {body.block_len}, (uint32_t)len);")
    lines += ["\t" + s for s in store_lines(body, "head + LEAT_SBE_HEAD_LEN", "")]
    if group is not None:
        dimension = f"head + LEAT_SBE_HEAD_LEN + {body.block_len}"
        lines.append(f"\tleat_le16_put({dimension}, {group.block_len});")
        lines.append(f"\tleat_le16_put({dimension} + 2, (uint16_t)nb_{c_name});")
    lines.append("\tleat_writer_put(w, head, sizeof(head));")
    if group is not None:
        lines += entry_loop(prefix, group)
    lines += [f"\tleat_sbe_put_data(w, {snake(name)});" for name in body.data]
    return "\n".join([*lines, "\treturn 0;", "}\n"])


def header(schema: Schema) -> str:
    """leat_sbe_messages.h."""
    out = [
        "/* SPDX-License-Identifier: BSD-3-Clause */\n/* Made by gen_sbe.py. */\n\n"
        "#ifndef LEAT_SBE_MESSAGES_H\n#define LEAT_SBE_MESSAGES_H\n\n"
        "/**\n * @file\n * The templates of the schema: what a decoded message holds, and whole\n"
        " * frames written. A getter is for a message or an entry of its own template.\n */\n\n"
        "#include <leat_sbe.h>\n\n"
        '#ifdef __cplusplus\nextern "C" {\n#endif\n\n'
        f"#define LEAT_SBE_SCHEMA_ID {schema.schema_id}u\n"
        f"#define LEAT_SBE_SCHEMA_VERSION {schema.version}u\n"
        f"#define LEAT_SBE_TEMPLATE_ID_MAX {schema.messages[-1].template_id}u\n"
    ]
    ids = [f"\tLEAT_SBE_{snake(m.body.name).upper()} = {m.template_id}," for m in schema.messages]
    out.append("/** Templates. */\nenum leat_sbe_template {\n" + "\n".join(ids) + "\n};\n")
    out.append(
        "/** By template id; no name: not a template. Use leat_sbe_layout_find(). */\n"
        "extern const struct leat_sbe_layout leat_sbe_layouts[LEAT_SBE_TEMPLATE_ID_MAX + 1];\n"
    )
    for message in schema.messages:
        prefix = "leat_sbe_" + snake(message.body.name)
        what = message.body.name
        group = message.body.group
        out += field_getters(prefix, what, "const struct leat_sbe_message *from", message.body)
        if group is not None:
            out += field_getters(
                f"{prefix}_{snake(group.name)}", f"an entry of {what}.{group.name}",
                "const struct leat_sbe_entry *from", group)  # fmt: skip
            out.append(entry_struct(prefix, message, group))
        out.append(encoder(prefix, message))
    out.append("#ifdef __cplusplus\n}\n#endif\n\n#endif /* LEAT_SBE_MESSAGES_H */\n")
    return "\n".join(out)


def source(schema: Schema) -> str:
    """The table of layouts."""
    out = [
        '/* SPDX-License-Identifier: BSD-3-Clause */\n/* Made by gen_sbe.py. */\n\n'
        '#include "leat_sbe_messages.h"\n\n'
        "const struct leat_sbe_layout leat_sbe_layouts[LEAT_SBE_TEMPLATE_ID_MAX + 1] = {"
    ]
    for message in schema.messages:
        body = message.body
        group = body.group
        values = [
            f'.name = "{body.name}"',
            f".template_id = {message.template_id}",
            f".block_len = {body.block_len}",
            f".nb_data = {len(body.data)}",
            f".is_reply = {str(message.is_reply).lower()}",
        ]
        if group is not None:
            values.append(".has_group = true")
            values.append(f".entry_len = {group.block_len}")
            values.append(f".entry_nb_data = {len(group.data)}")
        out.append(wrap(f"\t[{message.template_id}] = {{ ", values, " },", "\t\t"))
    return "\n".join([*out, "};\n"])


def main() -> None:
    """Read the schema and write both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("schema", type=Path)
    parser.add_argument("--header", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    args = parser.parse_args()
    try:
        schema = parse(args.schema.read_text(encoding="utf-8"))
    except SchemaError as error:
        sys.exit(f"{args.schema}: {error}")
    args.header.write_text(header(schema), encoding="utf-8")
    args.source.write_text(source(schema), encoding="utf-8")


if __name__ == "__main__":
    main()
