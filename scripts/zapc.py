#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""leat-zapc: make a C header of accessors and encoders from a ZAP schema."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

OBJECT_MAX = 1 << 20  # LEAT_ZAP_OBJECT_MAX
HEADER_LEN = 16
MAGIC = 0x0050415A
NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
STRUCT_NAME = re.compile(r"[A-Z][A-Za-z0-9]*\Z")
FIXED = re.compile(r"bytes\[([0-9]+)\]\Z")
KEYWORDS = set(
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while bool class delete new private public this template "
    "namespace operator try catch throw using virtual friend export explicit mutable "
    "protected typename true false and or not xor".split()
)
# <type of the schema>: bytes, type in C, what reads it, what writes it, where "$" is the value.
SCALARS = {
    "bool": (1, "bool", "u8", "$ != 0", "$"),
    "u8": (1, "uint8_t", "u8", "$", "$"),
    "u16": (2, "uint16_t", "u16", "$", "$"),
    "u32": (4, "uint32_t", "u32", "$", "$"),
    "u64": (8, "uint64_t", "u64", "$", "$"),
    "i8": (1, "int8_t", "u8", "(int8_t)$", "(uint8_t)$"),
    "i16": (2, "int16_t", "u16", "(int16_t)$", "(uint16_t)$"),
    "i32": (4, "int32_t", "u32", "(int32_t)$", "(uint32_t)$"),
    "i64": (8, "int64_t", "u64", "(int64_t)$", "(uint64_t)$"),
    "f32": (4, "float", "u32", "leat_float_of_bits($)", "leat_float_bits($)"),
    "f64": (8, "double", "u64", "leat_double_of_bits($)", "leat_double_bits($)"),
}
LIST_ELEMENTS = {"u8", "u32", "u64", "text", "bytes"}


class SchemaError(Exception):
    """What is wrong, and in which line."""

    def __init__(self, line: int, text: str) -> None:
        """Keep both.

        Args:
            line: Counted from 1.
            text: What is wrong, in lower case.
        """
        super().__init__(text)
        self.line = line


@dataclass
class Field:
    """One field of a struct."""

    line: int
    name: str
    type: str
    offset: int = -1

    @property
    def kind(self) -> str:
        """Tell scalars, "fixed", "bytes" (and text), "list" and "object" apart."""
        if self.type in SCALARS:
            return "scalar"
        if FIXED.match(self.type):
            return "fixed"
        if self.type in ("text", "bytes"):
            return "bytes"
        return "list" if self.type.startswith("[]") else "object"

    @property
    def size(self) -> int:
        """Bytes in the fixed section."""
        if self.kind == "scalar":
            return SCALARS[self.type][0]
        if self.kind == "fixed":
            return int(self.type[len("bytes[") : -1])
        return 4 if self.kind == "object" else 8

    @property
    def align(self) -> int:
        """What an aligned layout makes the offset a multiple of."""
        if self.kind == "scalar":
            return self.size
        return 1 if self.kind == "fixed" else 4

    @property
    def refers_to(self) -> str:
        """Name of the struct in the type, or nothing."""
        name = self.type.removeprefix("[]").removeprefix("inline ")
        return name if STRUCT_NAME.match(name) else ""


@dataclass
class Struct:
    """One struct, which becomes the root of a message or stands in one."""

    line: int
    name: str
    layout: str = "explicit"
    version: int = 1
    type: int = 0
    fields: list[Field] = field(default_factory=list)
    size: int = 0

    @property
    def is_flat(self) -> bool:
        """Whether a message of it needs no builder."""
        return all(f.kind not in ("list", "object") for f in self.fields)


@dataclass
class Schema:
    """One file."""

    package: str
    structs: list[Struct]


def number(line: int, what: str, text: str, most: int) -> int:
    """Read a decimal number from 0 to most."""
    if not text.isdecimal() or int(text) > most:
        raise SchemaError(line, f'{what} "{text}" is not a number of 0 to {most}')
    return int(text)


def parse_struct(line: int, words: list[str]) -> Struct:
    """Read "struct Name [aligned|packed] [version N] [type N] {"."""
    if len(words) < 3 or words[-1] != "{":
        raise SchemaError(line, 'want "struct Name {"')
    struct = Struct(line, words[1])
    if not STRUCT_NAME.match(struct.name):
        raise SchemaError(line, f'"{struct.name}" is no name of a struct, such as "Request"')
    rest = words[2:-1]
    while rest:
        word = rest.pop(0)
        if word in ("aligned", "packed") and struct.layout == "explicit":
            struct.layout = word
        elif word == "version" and rest:
            struct.version = number(line, word, rest.pop(0), 2)
        elif word == "type" and rest:
            struct.type = number(line, word, rest.pop(0), 255)
        else:
            raise SchemaError(line, f'unexpected "{word}"')
    if struct.version == 0:
        raise SchemaError(line, "a version is 1 or 2")
    return struct


def parse_field(line: int, struct: Struct, words: list[str]) -> Field:
    """Read "name type [@offset]"."""
    offset = words.pop() if words[-1].startswith("@") else ""
    if len(words) == 3 and words[1] == "[]inline":
        words[1:] = ["[]inline " + words[2]]
    if len(words) != 2:
        raise SchemaError(line, 'want "name type" or "name type @offset"')
    new = Field(line, words[0], words[1])
    if not NAME.match(new.name) or new.name in KEYWORDS:
        raise SchemaError(line, f'"{new.name}" is no name of a field')
    if any(f.name == new.name for f in struct.fields):
        raise SchemaError(line, f'a second field "{new.name}"')
    element = new.type[2:]
    if new.kind == "list" and element not in LIST_ELEMENTS and not new.refers_to:
        raise SchemaError(line, f'no lists of "{element}"')
    if new.kind == "object" and not new.refers_to:
        raise SchemaError(line, f'unknown type "{new.type}"')
    if new.kind == "fixed" and not 1 <= new.size <= OBJECT_MAX:
        raise SchemaError(line, f"{new.size} bytes are not 1 to {OBJECT_MAX}")
    if offset and struct.layout != "explicit":
        raise SchemaError(line, f"an offset in a struct that is {struct.layout}")
    if not offset and struct.layout == "explicit":
        raise SchemaError(line, 'no "@offset", and the struct is neither aligned nor packed')
    if offset:
        new.offset = number(line, "offset", offset[1:], OBJECT_MAX)
    return new


def lay_out(struct: Struct) -> None:
    """Give each field its offset and the struct its size; refuse what overlaps."""
    if not struct.fields:
        raise SchemaError(struct.line, f'struct "{struct.name}" has no fields')
    end = 0
    for f in struct.fields:
        if struct.layout != "explicit":
            align = f.align if struct.layout == "aligned" else 1
            f.offset = (end + align - 1) // align * align
        for other in struct.fields[: struct.fields.index(f)]:
            if f.offset < other.offset + other.size and other.offset < f.offset + f.size:
                raise SchemaError(f.line, f'"{f.name}" overlaps "{other.name}"')
        end = max(end, f.offset + f.size)
        if end > OBJECT_MAX:
            raise SchemaError(f.line, f'"{f.name}" ends after {OBJECT_MAX} bytes')
    struct.size = (end + 7) // 8 * 8 if struct.layout == "aligned" else end


def check_references(schema: Schema) -> None:
    """Refuse the name of a struct that is not in the file."""
    names = {struct.name for struct in schema.structs}
    for struct in schema.structs:
        for f in struct.fields:
            if f.refers_to and f.refers_to not in names:
                raise SchemaError(f.line, f'no struct "{f.refers_to}"')


def parse(text: str) -> Schema:
    """Read a schema.

    Args:
        text: The whole file.

    Returns:
        The schema, laid out.

    Raises:
        SchemaError: It is refused.
    """
    schema = Schema("", [])
    struct: Struct | None = None
    line = 0
    for line, content in enumerate(text.split("\n"), 1):
        words = content.split("#")[0].split()
        if not words:
            continue
        if struct is not None and words == ["}"]:
            lay_out(struct)
            schema.structs.append(struct)
            struct = None
        elif struct is not None:
            struct.fields.append(parse_field(line, struct, words))
        elif words[0] == "package" and len(words) == 2 and not schema.package:
            if not NAME.match(words[1]):
                raise SchemaError(line, f'"{words[1]}" is no name of a package')
            schema.package = words[1]
        elif words[0] == "struct" and schema.package:
            struct = parse_struct(line, words)
            if any(snake(s.name) == snake(struct.name) for s in schema.structs):
                raise SchemaError(line, f'a second struct "{struct.name}"')
        else:
            want = "struct" if schema.package else "package NAME"
            raise SchemaError(line, f'unexpected "{words[0]}", want "{want}"')
    if struct is not None:
        raise SchemaError(line, f'struct "{struct.name}" has no end')
    if not schema.structs:
        raise SchemaError(line, "no struct")
    check_references(schema)
    return schema


def snake(name: str) -> str:
    """EthBalance becomes eth_balance."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


class Writer:
    """The C of one schema."""

    def __init__(self, schema: Schema, source: str) -> None:
        """Begin.

        Args:
            schema: What to write.
            source: Name of its file, for the reader of the header.
        """
        self.schema = schema
        self.source = source
        self.out: list[str] = []

    def put(self, text: str) -> None:
        """Write lines; a margin of the text itself is its reader's."""
        self.out.append(text)

    def prefix(self, name: str) -> str:
        """Name of a struct in C."""
        return f"{self.schema.package}_{snake(name)}"

    def function(self, result: str, name: str, args: str, body: list[str], text: str) -> None:
        """Write an inline function with its comment."""
        self.put(f"/** {text} */\nstatic inline {result}\n{name}({args})\n{{")
        self.put("\n".join("\t" + line if line else "" for line in body) + "\n}\n")

    def header(self) -> str:
        """Write everything.

        Returns:
            The header.
        """
        guard = f"{self.schema.package}_H".upper()
        self.put("/* SPDX-License-Identifier: BSD-3-Clause */")
        self.put(f"/* Made by leat-zapc from {self.source}. */\n")
        self.put(f"#ifndef {guard}\n#define {guard}\n")
        self.put("#include <leat_zap.h>\n#include <leat_zap_builder.h>\n")
        self.put('#ifdef __cplusplus\nextern "C" {\n#endif\n')
        for struct in self.schema.structs:
            self.struct(struct)
        self.put("#ifdef __cplusplus\n}\n#endif\n")
        self.put(f"#endif /* {guard} */")
        return "\n".join(self.out) + "\n"

    def struct(self, struct: Struct) -> None:
        """Write the code of one struct."""
        name = self.prefix(struct.name)
        self.put(f"#define {name.upper()}_LEN {struct.size}u /**< bytes of the fixed section */\n")
        for f in struct.fields:
            self.getter(name, f)
        self.function(
            "struct leat_zap_place",
            f"{name}_start",
            "struct leat_zap_builder *b",
            [f"return leat_zap_start_object(b, {name.upper()}_LEN);"],
            f"Begin a {struct.name}.",
        )
        for f in struct.fields:
            self.setter(name, f)
        if struct.is_flat:
            self.flat(name, struct)

    def getter(self, name: str, f: Field) -> None:
        """Write what reads one field within the bounds of the message."""
        at = f"(object, {f.offset})"
        text = f"{f.type} @{f.offset}."
        if f.kind == "scalar":
            _, ctype, read, convert, _ = SCALARS[f.type]
            value = convert.replace("$", f"leat_zap_get_{read}{at}")
        elif f.kind == "fixed":
            ctype, value = "struct leat_slice", f"leat_zap_get_fixed(object, {f.offset}, {f.size})"
        elif f.kind == "bytes":
            ctype, value = "struct leat_slice", f"leat_zap_get_bytes{at}"
        else:
            ctype, value = f"struct leat_zap_{f.kind}", f"leat_zap_get_{f.kind}{at}"
        args = "struct leat_zap_object object"
        self.function(ctype, f"{name}_get_{f.name}", args, [f"return {value};"], text)
        if f.type.startswith("[]inline "):
            inner = self.prefix(f.refers_to).upper()
            get = f"leat_zap_list_object({name}_get_{f.name}(object), i, {inner}_LEN)"
            self.function(
                "struct leat_zap_object",
                f"{name}_get_{f.name}_at",
                args + ", uint32_t i",
                [f"return {get};"],
                f"One of {f.name}; null past the end.",
            )

    def setter(self, name: str, f: Field) -> None:
        """Write what sets one field in a builder."""
        how = f.kind
        value = "value"
        if f.kind == "scalar":
            _, ctype, how, _, convert = SCALARS[f.type]
            value = convert.replace("$", value)
        elif f.kind in ("fixed", "bytes"):
            ctype = "struct leat_slice"
        else:
            ctype = "struct leat_zap_place" if f.kind == "object" else "struct leat_zap_items"
        body = [f"leat_zap_set_{how}(b, object, {f.offset}, {value});"]
        if f.kind == "fixed":
            body.insert(0, f"LEAT_VERIFY(value.len <= {f.size}u);")
        self.function(
            "void",
            f"{name}_set_{f.name}",
            f"struct leat_zap_builder *b, struct leat_zap_place object,\n\t{ctype} value",
            body,
            f"{f.type} @{f.offset}.",
        )

    def flat(self, name: str, struct: Struct) -> None:
        """Write a struct of C and what turns it into a message and back."""
        self.put(f"/** A {struct.name}; slices are borrowed. */\nstruct {name} {{")
        for f in struct.fields:
            if f.kind == "scalar":
                self.put(f"\t{SCALARS[f.type][1]} {f.name};")
            elif f.kind == "fixed":
                self.put(f"\tuint8_t {f.name}[{f.size}];")
            else:
                self.put(f"\tstruct leat_slice {f.name};")
        self.put("};\n")
        self.read(name, struct)
        self.size(name, struct)
        self.head(name, struct)
        self.emit(name, struct)

    def read(self, name: str, struct: Struct) -> None:
        """Write what reads all fields; a whole fixed section is checked once."""
        whole = []
        bounded = []
        for f in struct.fields:
            if f.kind == "scalar":
                bits = 8 * f.size
                raw = f"p[{f.offset}]" if bits == 8 else f"leat_le{bits}_get(p + {f.offset})"
                whole.append(f"out->{f.name} = {SCALARS[f.type][3].replace('$', raw)};")
            elif f.kind == "fixed":
                whole.append(f"memcpy(out->{f.name}, p + {f.offset}, {f.size});")
                bounded.append(f"memset(out->{f.name}, 0, {f.size});")
                bounded.append(f"if (leat_zap_has(object, {f.offset}, {f.size}))")
                place = f"object.data + object.off + {f.offset}"
                bounded.append(f"\tmemcpy(out->{f.name}, {place}, {f.size});")
                continue
            else:
                whole.append(f"out->{f.name} = leat_zap_slot_bytes(")
                whole.append(f"\tobject.data, object.size, object.off + {f.offset});")
            bounded.append(f"out->{f.name} = {name}_get_{f.name}(object);")
        body = [f"if (LEAT_LIKELY(leat_zap_has(object, 0, {name.upper()}_LEN))) {{"]
        if any(f.kind != "bytes" for f in struct.fields):
            body += ["\tconst uint8_t *p = object.data + object.off;", ""]
        body += ["\t" + line for line in whole] + ["\treturn;", "}"] + bounded
        self.function(
            "void",
            f"{name}_read",
            f"struct leat_zap_object object,\n\tstruct {name} *out",
            body,
            "Read all fields: zero or nothing where one is not in the message.",
        )

    def size(self, name: str, struct: Struct) -> None:
        """Write what counts a message."""
        tails = [f for f in struct.fields if f.kind == "bytes"]
        lens = "".join(f" +\n\t\t(uint64_t)in->{f.name}.len" for f in tails)
        unused = [] if tails else ["(void)in; /* nothing in it has a length */"]
        self.function(
            "uint64_t",
            f"{name}_size",
            f"const struct {name} *in",
            [*unused, f"return LEAT_ZAP_HEADER_LEN + {name.upper()}_LEN{lens};"],
            "Bytes of the message.",
        )

    def head(self, name: str, struct: Struct) -> None:
        """Write what makes the header and the fixed section."""
        first = MAGIC | struct.version << 32
        body = [f"uint8_t *p = head + {HEADER_LEN};"]
        if any(f.kind == "bytes" for f in struct.fields):
            body.append(f"uint64_t tail = {HEADER_LEN + struct.size};")
        body += [
            "",
            f"leat_le64_put(head, UINT64_C({first:#x}) | (uint64_t)flags << 48);",
            f"leat_le64_put(head + 8, {HEADER_LEN} | size << 32);",
        ]
        end = 0
        for f in sorted(struct.fields, key=lambda f: f.offset):
            if f.offset > end:
                body.append(f"memset(p + {end}, 0, {f.offset - end});")
            end = f.offset + f.size
            if f.kind == "fixed":
                body.append(f"memcpy(p + {f.offset}, in->{f.name}, {f.size});")
            elif f.kind == "scalar":
                value = SCALARS[f.type][4].replace("$", f"in->{f.name}")
                bits = 8 * f.size
                store = f"leat_le{bits}_put(p + {f.offset}, {value});"
                body.append(f"p[{f.offset}] = {value};" if bits == 8 else store)
        if struct.size > end:
            body.append(f"memset(p + {end}, 0, {struct.size - end});")
        for f in struct.fields:
            if f.kind == "bytes":
                slot = f"leat_zap_slot_put(p + {f.offset}, {HEADER_LEN + f.offset}, tail,"
                body += [f"tail = {slot}", f"\tin->{f.name}.len);"]
        self.function(
            "void",
            f"{name}_head",
            f"uint8_t *head, uint16_t flags,\n\tconst struct {name} *in, uint64_t size",
            body,
            "Write header and fixed section; of text and bytes only the lengths count.",
        )

    def emit(self, name: str, struct: Struct) -> None:
        """Write what writes a message."""
        tails = [f for f in struct.fields if f.kind == "bytes"]
        body = [
            f"uint8_t head[LEAT_ZAP_HEADER_LEN + {name.upper()}_LEN];",
            f"uint64_t size = {name}_size(in);",
            "",
            "if (size > LEAT_ZAP_MESSAGE_MAX)",
            "\treturn -EMSGSIZE;",
            f"{name}_head(head, {struct.type << 8:#x}, in, size);",
            "leat_writer_put(w, head, sizeof(head));",
            *(f"leat_writer_put_slice(w, in->{f.name});" for f in tails),
            "return 0;",
        ]
        self.function(
            "int",
            f"{name}_emit",
            f"struct leat_writer *w,\n\tconst struct {name} *in",
            body,
            "Write a message: 0, or -EMSGSIZE and nothing is written.",
        )


def main() -> int:
    """Run the command line.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(prog="leat-zapc", description=__doc__)
    parser.add_argument("schema", type=Path)
    parser.add_argument("-o", "--output", type=Path, help="the header; else standard output")
    args = parser.parse_args()
    try:
        schema = parse(args.schema.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        print(f"{args.schema}: {error}", file=sys.stderr)
        return 1
    except SchemaError as error:
        print(f"{args.schema}:{error.line}: {error}", file=sys.stderr)
        return 1
    header = Writer(schema, args.schema.name).header()
    if args.output:
        args.output.write_text(header, encoding="utf-8")
    else:
        sys.stdout.write(header)
    return 0


if __name__ == "__main__":
    sys.exit(main())
