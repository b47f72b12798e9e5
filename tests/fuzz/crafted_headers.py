"""What crafted.py makes as stores whose object headers and lists of names are forged: lengths that
run past their messages, parts that are said to lie elsewhere, lists and trees without an end."""
import struct

import h5py
from h5py import h5o

from crafted_texts import path

(SPACE, TYPE, FILL, LAYOUT, FILTERS, ATTRIBUTE, CONTINUATION, TABLE) = 0x1, 0x3, 0x5, 0x8, 0xB, 0xC, 0x10, 0x11
SIZE, FLAGS = -6, -4  # of a message, counted from what it says
SHARED = b"\3\0\0\0\3\1"  # in a table for the whole file, which is not there

# The message, where in it, and what is put there.
MESSAGES = {
    "size": ("origin", TYPE, SIZE, b"\xf8\xff"),
    "shared-space": ("origin", SPACE, FLAGS, SHARED),
    "shared-type": ("origin", TYPE, FLAGS, SHARED),
    "shared-fill": ("origin", FILL, FLAGS, SHARED),
    "shared-filters": ("tiles", FILTERS, FLAGS, SHARED),
    "shared-attribute": ("/", ATTRIBUTE, FLAGS, SHARED),
    "attribute-name": ("/", ATTRIBUTE, 2, b"\xff\xff"),
    "attribute-type": ("/", ATTRIBUTE, 4, b"\xff\xff"),
    "attribute-space": ("/", ATTRIBUTE, 6, b"\xff\xff"),
    "rank": ("origin", SPACE, 1, b"\x20"),
    "type-version": ("origin", TYPE, 0, b"\x41"),
    "type-norm": ("origin", TYPE, 1, b"\x30"),
    "type-compound": ("origin", TYPE, 0, b"\x16\xff\xff\0"),
    "type-enum": ("origin", TYPE, 0, b"\x18\xff\xff\0"),
    "type-array": ("origin", TYPE, 0, b"\x2a"),
    "type-opaque": ("origin", TYPE, 0, b"\x15\xf8"),
    "fill": ("origin", FILL, 4, b"\0\xff\0\0"),
    "layout-class": ("tiles", LAYOUT, 1, b"\3"),
    "layout-compact": ("origin", LAYOUT, 1, b"\0\xff\xff"),
    "chunk-rank": ("tiles", LAYOUT, 2, b"\x21"),
    "chunk-less-rank": ("tiles", LAYOUT, 2, b"\3"),
    "chunk-flat": ("tiles", LAYOUT, 2, b"\0"),
    "chunk-empty": ("tiles", LAYOUT, 11, bytes(4)),
    "chunk-vast": ("tiles", LAYOUT, 11, b"\1\0\0\x80"),
    "filters-many": ("tiles", FILTERS, 1, b"\x21"),
    "filters-more": ("tiles", FILTERS, 1, b"\5"),
    "filters-values": ("tiles", FILTERS, 14, b"\xff\xff"),
    "filters-name": ("tiles", FILTERS, 10, b"\xf8\xff"),
    "filters-bits": ("tiles", FILTERS, 8, b"\5\0"),
    "continuation": ("/", CONTINUATION, 0, b"\xf0" * 8),
    "continuation-long": ("/", CONTINUATION, 8, b"\xff" * 8),
    "table": ("/", TABLE, 0, b"\xf0" * 8),
}


def number(content, at, width=8):
    return int.from_bytes(content[at:at + width], "little")


def messages(content, header):
    """Kind and place of each message of an object header of the first format."""
    blocks = [(header + 16, number(content, header + 8, 4))]
    for begin, size in blocks:
        at = begin
        while at < begin + size:
            kind, length = number(content, at, 2), number(content, at + 2, 2)
            if kind == CONTINUATION:
                blocks.append((number(content, at + 8), number(content, at + 16)))
            yield kind, at + 8
            at += 8 + length


def header_cases(write_store):
    write_store("headers.h5")
    with open(path("store", "headers.h5"), "rb") as file:
        whole = file.read()
    with h5py.File(path("store", "headers.h5")) as file:
        headers = {name: h5o.get_info(file[name].id).addr for name in ("/", "origin", "tiles")}

    def place(object, kind):
        return next(at for found, at in messages(whole, headers[object]) if found == kind)

    def case(name, *changes):
        content = bytearray(whole)
        for at, new in changes:
            content[at:at + len(new)] = new
        with open(path("store", f"bad-header-{name}.h5"), "wb") as file:
            file.write(content)

    for name, (object, kind, at, new) in MESSAGES.items():
        case(name, (place(object, kind) + at, new))
    follow, table = place("/", CONTINUATION), place("/", TABLE)
    tree, heap = number(whole, table), number(whole, table + 8)
    names, texts = number(whole, tree + 32), number(whole, heap + 24)
    case("continuation-circle", (number(whole, follow) + 2, b"\x10\0"), (number(whole, follow), b"\x10\0"),
         (number(whole, follow) + 8, whole[follow:follow + 16]))
    case("tree-circle", (tree + 5, b"\1"), (tree + 32, struct.pack("<Q", tree)))
    case("tree-many", (tree + 6, b"\xff\xff"))
    case("tree-name", (tree + 40, b"\xf0" * 8))
    case("names-many", (names + 6, b"\xff\xff"))
    case("names-name", (names + 8, b"\xf0" * 8))
    case("names-link", (names + 8 + 16, b"\2\0\0\0\0\0\0\0\xff\xff\0\0"))
    case("heap-size", (heap + 8, b"\xff" * 8))
    case("heap-circle", (heap + 16, struct.pack("<Q", 8)), (texts + 8, struct.pack("<QQ", 8, 16)))
    case("heap-no-end", (texts, b"x" * number(whole, heap + 8)))
    case("no-leaves", (16, bytes(4)))
    case("drivers", (24 + 24, bytes(8)))
