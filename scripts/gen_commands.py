#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make the command table and its reference page from lib/command/commands/*.json."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

REQUIRED = {"name", "summary", "since", "group", "complexity", "arity", "run", "flags", "acl"}
OPTIONAL = {"tips", "keys", "arguments", "in_subscription"}
ARG_KEYS = {"name", "type", "token", "since", "flags", "key", "arguments"}
ARG_FLAGS = {
    "optional": "COMMAND_ARG_OPTIONAL",
    "multiple": "COMMAND_ARG_MULTIPLE",
    "multiple_token": "COMMAND_ARG_MULTIPLE_TOKEN",
}
TABLE_FLAGS = {
    "write": "LEAT_COMMAND_WRITE",
    "readonly": "LEAT_COMMAND_READ",
    "fast": "LEAT_COMMAND_FAST",
    "pubsub": "LEAT_COMMAND_PUBSUB",
    "no_auth": "LEAT_COMMAND_NO_AUTH",
}
ADMIN_GROUPS = ("server", "connection")
GROUPS = ("string", "generic", "hash", "sorted-set", "pubsub", "connection", "server")
NAME_MAX = 32  # LEAT_COMMAND_NAME_MAX
HASH_BITS = 8
HASH_TRIES = 1 << 20
NO_SLOT = 255

Command = dict[str, Any]


def load(path: Path) -> Command:
    """Read one command and check that it has what it must and nothing unknown."""
    command: Command = json.loads(path.read_text(encoding="utf-8"))
    missing = REQUIRED - command.keys()
    unknown = command.keys() - REQUIRED - OPTIONAL
    if missing or unknown:
        sys.exit(f"{path}: missing {sorted(missing)}, unknown {sorted(unknown)}")
    if command["name"].replace("|", "-") != path.stem:
        sys.exit(f"{path}: its name is {command['name']}")
    if len(command["name"]) > NAME_MAX or command["name"] != command["name"].lower():
        sys.exit(f"{path}: the name is too long or not in lower case")
    if command["group"] not in GROUPS:
        sys.exit(f"{path}: no group {command['group']}")
    check_arguments(path, command.get("arguments", []))
    return command


def check_arguments(path: Path, arguments: list[Command]) -> None:
    """Refuse a misspelt key of an argument."""
    for arg in arguments:
        unknown = (arg.keys() - ARG_KEYS) | (set(arg.get("flags", [])) - ARG_FLAGS.keys())
        if unknown:
            sys.exit(f"{path}: unknown {sorted(unknown)}")
        check_arguments(path, arg.get("arguments", []))


def name_hash(name: str, multiplier: int) -> int:
    """As command_hash() in command.c."""
    word = int.from_bytes(name[:8].encode().ljust(8, b"\0"), "little") | 0x2020202020202020
    product = (word ^ len(name) << 56) * multiplier & (1 << 64) - 1
    return product >> 64 - HASH_BITS


def find_multiplier(names: list[str]) -> int:
    """Find a multiplier under which no two names share a slot."""
    seed = 0x9E3779B97F4A7C15
    for _ in range(HASH_TRIES):
        seed = (seed * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
        multiplier = seed | 1
        if len({name_hash(name, multiplier) for name in names}) == len(names):
            return multiplier
    sys.exit("no perfect hash found: raise HASH_BITS here and in command_priv.h")


def c_string(text: str | None) -> str:
    """A C literal, or NULL."""
    if text is None:
        return "NULL"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def c_ident(name: str) -> str:
    return name.replace("|", "_").replace("-", "_")


class Table:
    """Collects the C source; definitions come before their use."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def strings(self, ident: str, words: list[str]) -> str:
        """Define a list of strings; returns the expression that names it."""
        if not words:
            return "{ NULL, 0 }"
        self.lines.append(
            f"static const char *const {ident}[] = {{ {', '.join(map(c_string, words))} }};"
        )
        return f"{{ {ident}, {len(words)} }}"

    def arguments(self, ident: str, arguments: list[Command]) -> str:
        """Define a tree of arguments; returns its two initializers."""
        if not arguments:
            return "NULL, 0"
        rows = []
        for i, arg in enumerate(arguments):
            nested = self.arguments(f"{ident}_{i}", arg.get("arguments", []))
            flags = " | ".join(ARG_FLAGS[f] for f in arg.get("flags", [])) or "0"
            texts = ", ".join(c_string(arg.get(k)) for k in ("name", "type", "token", "since"))
            rows.append(f"\t{{ {texts}, {flags}, {arg.get('key', -1)}, {nested} }},")
        self.lines += [f"static const struct command_arg {ident}[] = {{", *rows, "};"]
        return f"{ident}, {len(arguments)}"

    def keys(self, ident: str, keys: list[Command]) -> str:
        """Define key specifications; returns their two initializers."""
        if not keys:
            return "NULL, 0"
        rows = []
        for i, key in enumerate(keys):
            flags = self.strings(f"{ident}_{i}", key["flags"])
            numbers = ", ".join(str(key[k]) for k in ("begin", "last", "step", "limit"))
            rows.append(f"\t{{ {flags}, {numbers} }},")
        self.lines += [f"static const struct command_key_spec {ident}[] = {{", *rows, "};"]
        return f"{ident}, {len(keys)}"

    def doc(self, command: Command) -> None:
        """Define what COMMAND tells of one command."""
        ident = c_ident(command["name"])
        flags = self.strings(f"flags_{ident}", command["flags"])
        acl = self.strings(f"acl_{ident}", command["acl"])
        tips = self.strings(f"tips_{ident}", command.get("tips", []))
        keys = self.keys(f"keys_{ident}", command.get("keys", []))
        arguments = self.arguments(f"args_{ident}", command.get("arguments", []))
        texts = ", ".join(c_string(command[k]) for k in ("summary", "since", "group", "complexity"))
        self.lines.append(
            f"static const struct leat_command_doc doc_{ident} = {{\n\t{texts},\n"
            f"\t{flags}, {acl}, {tips}, {keys}, {arguments},\n}};"
        )

    def rows(self, ident: str, commands: list[Command], subs: dict[str, list[Command]]) -> None:
        """Define the table of some commands."""
        self.lines.append(f"{ident}[] = {{")
        for command in commands:
            name = command["name"]
            first, last, step = key_range(command)
            flags = [TABLE_FLAGS[f] for f in command["flags"] if f in TABLE_FLAGS]
            if command["group"] in ADMIN_GROUPS:
                flags.append("LEAT_COMMAND_ADMIN")
            if command.get("in_subscription"):
                flags.append("LEAT_COMMAND_IN_SUBS")
            nested = f"subs_{c_ident(name)}" if name in subs else "NULL"
            self.lines.append(
                f"\t{{ {c_string(name)}, {command['arity']}, {first}, {last}, {step}, "
                f"{' | '.join(flags) or '0'}, {command['run']},\n"
                f"\t\t{nested}, {len(subs.get(name, []))}, &doc_{c_ident(name)} }},"
            )
        self.lines.append("};")


def key_range(command: Command) -> tuple[int, int, int]:
    """First key, last key and step, as COMMAND tells them."""
    keys = command.get("keys", [])
    if not keys:
        return 0, 0, 0
    last = keys[0]["last"]
    return keys[0]["begin"], last if last < 0 else keys[0]["begin"] + last, keys[0]["step"]


def emit_table(commands: list[Command]) -> str:
    """The C source of the table."""
    top = [c for c in commands if "|" not in c["name"]]
    subs: dict[str, list[Command]] = {}
    for command in commands:
        if "|" in command["name"]:
            subs.setdefault(command["name"].split("|")[0], []).append(command)
    if not subs.keys() <= {c["name"] for c in top}:
        sys.exit("a subcommand without its command")
    if len(top) >= NO_SLOT:
        sys.exit("too many commands for the slots")

    table = Table()
    for command in commands:
        table.doc(command)
    for name, rows in subs.items():
        table.rows(f"static const struct leat_command subs_{c_ident(name)}", rows, subs)
    table.rows("const struct leat_command command_table", top, subs)
    multiplier = find_multiplier([c["name"] for c in top])
    slots = [NO_SLOT] * (1 << HASH_BITS)
    for i, command in enumerate(top):
        slots[name_hash(command["name"], multiplier)] = i
    numbers = "".join(f"\t{', '.join(map(str, slots[i : i + 16]))},\n" for i in range(0, 256, 16))
    return (
        "/* Made by scripts/gen_commands.py from the commands of this folder. */\n\n"
        '#include "command_priv.h"\n#include "command_run.h"\n\n'
        + "\n".join(table.lines)
        + f"\n\nconst uint32_t command_table_len = {len(top)};\n"
        f"const uint64_t command_hash_multiplier = {multiplier:#x}u;\n"
        f"const uint8_t command_slots[1 << COMMAND_HASH_BITS] = {{\n{numbers}}};\n"
    )


def emit_prototypes(commands: list[Command]) -> str:
    """The header with the function of each command."""
    names = sorted({c["run"] for c in commands})
    prototypes = "\n".join(
        f"void {name}(struct leat_command_ctx *ctx, const struct leat_request *req,\n"
        "\tstruct leat_reply *reply);"
        for name in names
    )
    return (
        "/* Made by scripts/gen_commands.py from the commands of this folder. */\n\n"
        "#ifndef COMMAND_RUN_H\n#define COMMAND_RUN_H\n\n#include <leat_command.h>\n\n"
        f"{prototypes}\n\n#endif /* COMMAND_RUN_H */\n"
    )


def syntax(arguments: list[Command]) -> str:
    """Arguments as a line of syntax, such as ``key [NX | XX]``."""
    words = []
    for arg in arguments:
        nested = arg.get("arguments", [])
        if arg["type"] == "pure-token":
            word = arg["token"]
        elif arg["type"] == "oneof":
            word = " | ".join(syntax([a]) for a in nested)
            word = word if "optional" in arg.get("flags", []) else f"<{word}>"
        elif arg["type"] == "block":
            word = syntax(nested)
        else:
            word = arg["name"]
        if "token" in arg and arg["type"] != "pure-token":
            word = f"{arg['token']} {word}"
        if "multiple" in arg.get("flags", []):
            word = f"{word} [{word} ...]"
        if "optional" in arg.get("flags", []):
            word = f"[{word}]"
        words.append(word)
    return " ".join(words)


def emit_page(commands: list[Command]) -> str:
    """The reference page, in reStructuredText."""
    lines = [
        ".. SPDX-License-Identifier: BSD-3-Clause",
        ".. Made by scripts/gen_commands.py from lib/command/commands/*.json.",
        "",
        "Commands",
        "========",
        "",
        "Replies and errors are those of Redis 7.0.",
    ]
    for group in GROUPS:
        lines += ["", group.capitalize(), "-" * len(group)]
        for command in commands:
            if command["group"] != group or command["run"] == "cmd_container":
                continue
            call = command["name"].replace("|", " ").upper()
            line = f"{call} {syntax(command.get('arguments', []))}".strip()
            lines += ["", f"``{line}``", f"   {command['summary']}"]
            lines += [f"   Time: {command['complexity']}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write, or with --check compare, what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Path, help="write the C table here")
    parser.add_argument("--prototypes", type=Path, help="write the C header here")
    parser.add_argument("--page", type=Path, help="write the reference page here")
    parser.add_argument("--check", action="store_true", help="compare the page, do not write")
    parser.add_argument("commands", type=Path, nargs="+", help="the JSON files")
    args = parser.parse_args()
    commands = sorted(map(load, args.commands), key=lambda c: str(c["name"]))
    if args.table:
        args.table.write_text(emit_table(commands), encoding="utf-8")
    if args.prototypes:
        args.prototypes.write_text(emit_prototypes(commands), encoding="utf-8")
    if args.page and not args.check:
        args.page.write_text(emit_page(commands), encoding="utf-8")
    elif args.page and args.page.read_text(encoding="utf-8") != emit_page(commands):
        sys.exit(f"{args.page} is not current: run scripts/gen_commands.py --page on it")


if __name__ == "__main__":
    main()
