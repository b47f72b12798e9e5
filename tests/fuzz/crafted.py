#!/usr/bin/python3
"""crafted.py FOLDER: files that are whole but not as any program writes them, and files made to
harm, as FOLDER/KIND/NAME. A name that begins with `bad-` is of a file that no reader may accept."""
import os
import struct
import sys
import zlib

sys.dont_write_bytecode = True

import h5py
import numpy as np
from h5py import h5a, h5d, h5p, h5s, h5t

from crafted_headers import header_cases
from crafted_arrays import safetensors_cases
from crafted_texts import folder, path, text_cases, write

side, tiles = 8, 4
huge = 2**40
fifo = os.path.join(folder, "fifo")


def fixed(text):
    """A text of fixed length: others are refused."""
    return np.bytes_(text or "\0")


def replace(file, name, value=None, **how):
    del file[name]
    return file.create_dataset(name, data=value, **how)


def never_written(file, name, type, shape, chunk=None):
    """A dataset of any extent that takes no room."""
    if name in file:
        del file[name]
    list = h5p.create(h5p.DATASET_CREATE)
    if chunk:
        list.set_chunk(chunk)
    else:
        list.set_alloc_time(h5d.ALLOC_TIME_LATE)
    group = file.require_group(os.path.dirname("/" + name))
    h5d.create(group.id, os.path.basename(name).encode(), type, h5s.create_simple(shape), list)


def odd_float():
    """Of no processor: with its exponent's bias at 9."""
    type = h5t.IEEE_F32LE.copy()
    type.set_ebias(9)
    return type


def compact(file, name):
    """The dataset's values in its header, as HDF5 keeps small ones on demand."""
    values = file[name][()]
    list = h5p.create(h5p.DATASET_CREATE)
    list.set_layout(h5d.COMPACT)
    del file[name]
    type, space = h5t.py_create(values.dtype), h5s.create_simple(values.shape)
    h5d.create(file.id, name.encode(), type, space, list).write(h5s.ALL, h5s.ALL, values)
    return struct.pack("<BBH", 3, 0, values.nbytes)


def forge(kind, name, old, new):
    with open(path(kind, name), "r+b") as file:
        content = file.read()
        assert content.count(old) == 1
        file.seek(content.index(old))
        file.write(new)


def write_store(name, **how):
    """As another program would write it: without the index and checksum of our own."""
    packing = {"chunks": (1, side, side), "compression": "gzip", "compression_opts": 4} | how.pop("packing", {})
    with h5py.File(path("store", name), "w", **how) as file:
        for key, value in {"format": fixed("civitas tiles"), "format_version": 1, "program_version": fixed("0.1.0"),
                           "crs_epsg": 2056, "tile_metres": 250.0, "pixels": side, "complete": 1,
                           "dropped: no road": 3, "threshold": 0.5}.items():
            file.attrs[key] = value
        classes = np.arange(tiles * side * side).reshape(tiles, side, side) % 3
        file.create_dataset("tiles", data=classes.astype("u1"), **packing)
        file["origin"] = np.arange(2.0 * tiles).reshape(tiles, 2)
        file["cover"] = np.full((tiles, 3), 1 / 3, "f4")
        file["variance"] = np.full(tiles, 0.1, "f4")
        file["source"] = np.zeros(tiles, "u2")
        file["split"] = np.array([0, 0, 0, 1], "u1")
        for text, value in {"crs_wkt": "", "classes": "0 other\n", "sources": "00ff  map.gpkg\n",
                            "licence": "CC0", "command": "made up"}.items():
            file[text] = fixed(value)


def write_checkpoint(name):
    """Without its seal, which the fuzz program adds."""
    with h5py.File(path("forged", name), "w") as file:
        file.attrs["format"] = fixed("civitas checkpoint 1")
        file.attrs["program"] = fixed("0.1.0")
        file.attrs["step"] = 7
        file.attrs["seed"] = fixed("1")
        file.attrs["note_mesh"] = fixed("data=1")
        file["config"] = fixed("batch = 8\n")
        file["a/weight"] = np.zeros((3, 4), "f4")
        file["b"] = np.zeros(5)
        file["checksums/names"] = fixed("/a/weight\n/b\n")
        file["checksums/arrays"] = np.zeros(2, "u8")
        file["checksums/fingerprint"] = np.zeros(1, "u8")


def everywhere(write, kind, texts, numbers, attributes):
    """Every way to be no dataset, or of another type, rank or size, for each dataset."""
    def case(name, change):
        write(name)
        with h5py.File(path(kind, name), "r+") as file:
            change(file)

    def put(name, value=None, **how):
        return lambda file: replace(file, name, value, **how)

    def link(name, to):
        def change(file):
            del file[name]
            file[name] = to
        return change

    def unwritten(name, type, shape, chunk=None):
        return lambda file: never_written(file, name, type, shape, chunk)

    for name in texts + numbers:
        flat = name.replace("/", "-")
        case(f"bad-{flat}-soft.h5", link(name, h5py.SoftLink("/other")))
        case(f"bad-{flat}-circle.h5", link(name, h5py.SoftLink("/" + name)))
        case(f"bad-{flat}-fifo.h5", link(name, h5py.ExternalLink(fifo, "/x")))
        case(f"bad-{flat}-elsewhere.h5", link(name, h5py.ExternalLink("missing.h5", "/x")))
        case(f"bad-{flat}-type.h5", link(name, np.dtype("f8")))
        case(f"bad-{flat}-missing.h5", lambda file: file.__delitem__(name))
        case(f"bad-{flat}-group.h5", lambda file: (file.__delitem__(name), file.create_group(name)))
        case(f"bad-{flat}-external.h5", put(name, shape=(4,), dtype="u1", external=[(fifo, 0, 4)]))
        case(f"bad-{flat}-null.h5", put(name, h5py.Empty("f4")))
        case(f"bad-{flat}-compound.h5", put(name, np.zeros(tiles, [("a", "f4"), ("b", "u1")])))
        case(f"bad-{flat}-vlen.h5", put(name, shape=(tiles,), dtype=h5py.vlen_dtype("u1")))
        case(f"bad-{flat}-reference.h5", put(name, shape=(tiles,), dtype=h5py.ref_dtype))
        case(f"bad-{flat}-32d.h5", put(name, np.zeros([1] * 32, "u1")))
        case(f"bad-{flat}-half.h5", put(name, np.zeros(tiles, "f2")))
    for name in texts:
        flat = name.replace("/", "-")
        case(f"bad-{flat}-two.h5", put(name, np.array([b"one", b"two"])))
        case(f"bad-{flat}-variable.h5", put(name, "text"))
        length = h5t.C_S1.copy()
        length.set_size(2**31 - 1)
        case(f"bad-{flat}-2GiB.h5", unwritten(name, length, (1,)))
    for name in numbers:
        flat = name.replace("/", "-")
        case(f"bad-{flat}-scalar.h5", put(name, np.uint8(1)))
        case(f"bad-{flat}-text.h5", put(name, fixed("text")))
        case(f"bad-{flat}-form.h5", unwritten(name, odd_float(), (tiles,)))
        for i, type in enumerate([h5t.NATIVE_UINT8, h5t.NATIVE_UINT16, h5t.NATIVE_UINT64, h5t.NATIVE_FLOAT,
                                  h5t.NATIVE_DOUBLE]):
            case(f"bad-{flat}-huge-{i}.h5", unwritten(name, type, (huge,)))
            case(f"bad-{flat}-sparse-{i}.h5", unwritten(name, type, (huge,), (1,)))
            case(f"bad-{flat}-wide-{i}.h5", unwritten(name, type, (tiles, 2**31, 2**31), (1, 1, 1)))
    for name in attributes:
        for sort, value in {"list": [1, 2], "null": h5py.Empty("i8"), "texts": np.array([b"a", b"b"]), "variable": "x",
                            "compound": np.zeros((), [("a", "i8")]), "image": np.zeros((9, 9)),
                            "opaque": np.void(b"xx")}.items():
            case(f"bad-attribute-{name}-{sort}.h5", lambda file: file.attrs.__setitem__(name, value))
    case("loop.h5", lambda file: file.__setitem__("loop", file["/"]))
    return case


def store_cases():
    write_store("foreign.h5")
    write_store("latest.h5", libver="latest")
    write_store("paged.h5", fs_strategy="page", fs_page_size=4096)
    write_store("user-block.h5", userblock_size=512)
    for name, packing in {"shuffled": {"shuffle": True}, "lzf": {"compression": "lzf", "compression_opts": None},
                          "pairs": {"chunks": (2, side, side)}, "checked": {"fletcher32": True},
                          "plain": {"compression": None, "compression_opts": None},
                          "flat": {"chunks": None, "compression": None, "compression_opts": None}}.items():
        write_store(f"packing-{name}.h5", packing=packing)
    case = everywhere(write_store, "store", ["crs_wkt", "sources", "licence", "command"],
                      ["tiles", "origin", "cover", "variance", "source", "split"],
                      ["format", "format_version", "crs_epsg", "tile_metres", "pixels", "dropped: no road"])

    def attributes(**values):
        return lambda file: file.attrs.update(values)

    for pixels in (-1, 0, 7, 2**31, 2**62):
        case(f"bad-pixels-{pixels}.h5", attributes(pixels=pixels))
    for number, metres in enumerate((float("nan"), float("inf"), 0.0, -250.0)):
        case(f"bad-metres-{number}.h5", attributes(tile_metres=metres))
    case("escape.h5", attributes(**{"\x1b[2J": fixed("\x1b[2J")}))

    def all_huge(file):
        for name, type, row in (("tiles", h5t.NATIVE_UINT8, (side, side)), ("origin", h5t.NATIVE_DOUBLE, (2,)),
                                ("cover", h5t.NATIVE_FLOAT, (3,)), ("variance", h5t.NATIVE_FLOAT, ()),
                                ("source", h5t.NATIVE_UINT16, ()), ("split", h5t.NATIVE_UINT8, ())):
            never_written(file, name, type, (huge, *row), (1, *row))
    case("bad-all-huge.h5", all_huge)

    def large_tiles(file):
        never_written(file, "tiles", h5t.NATIVE_UINT8, (tiles, 65535, 65535), (1, 65535, 65535))
        file.attrs["pixels"] = 65535
    case("bad-large-tiles.h5", large_tiles)

    def first_chunk(stored, mask=0):
        return lambda file: file["tiles"].id.write_direct_chunk((0, 0, 0), stored, mask)
    def odd_attribute(file):
        h5a.create(file.id, b"odd", odd_float(), h5s.create(h5s.SCALAR))
    case("bad-attribute-odd.h5", odd_attribute)
    case("bad-chunk-bomb.h5", first_chunk(zlib.compress(bytes(60_000_000), 9)))
    case("bad-chunk-short.h5", first_chunk(zlib.compress(bytes(9))))
    case("bad-chunk-garbage.h5", first_chunk(b"garbage"))
    case("bad-chunk-class.h5", first_chunk(zlib.compress(bytes([200] * side * side))))
    case("bad-chunk-raw.h5", first_chunk(bytes(side * side), 1))
    wrong_rooms()


def wrong_rooms():
    """A dataset's place and its room in the file, or its room in the header, forged."""
    for room in (0, 1, 2**16, 2**40):
        for dataset in ("sources", "origin"):
            name = f"bad-room-{dataset}-{room}.h5"
            write_store(name)
            with h5py.File(path("store", name)) as file:
                where = struct.pack("<BBQ", 3, 1, file[dataset].id.get_offset())
                length = struct.pack("<Q", file[dataset].id.get_storage_size())
            forge("store", name, where + length, where + struct.pack("<Q", room))
    for room in (None, 0, 1):
        name = "compact.h5" if room is None else f"bad-room-compact-{room}.h5"
        write_store(name)
        with h5py.File(path("store", name), "r+") as file:
            place = compact(file, "origin")
        if room is not None:
            forge("store", name, place, place[:2] + struct.pack("<H", room))


def checkpoint_cases():
    write_checkpoint("whole.h5")
    case = everywhere(write_checkpoint, "forged", ["config", "checksums/names"],
                      ["a/weight", "b", "checksums/arrays", "checksums/fingerprint"], ["step", "seed", "note_mesh"])
    for name, names in {"order": "/b\n/a/weight\n", "relative": "a/weight\nb\n", "twice": "/b\n/b\n",
                        "root": "/\n/b\n", "dots": "/../b\n/b\n", "group": "/a\n/b\n",
                        "long": "/" + "x" * 9999}.items():
        case(f"bad-names-{name}.h5", lambda file: replace(file, "checksums/names", fixed(names)))
    case("bad-step.h5", lambda file: file.attrs.update(step=-1))
    case("empties.h5", lambda file: replace(file, "b", np.zeros((0, 3))))
    case("empty-huge.h5", lambda file: never_written(file, "b", h5t.NATIVE_DOUBLE, (2**62, 2**62, 0)))
    case("bad-chunked.h5", lambda file: replace(file, "b", np.zeros(5), chunks=(2,)))


def whole_file_cases():
    """What a name may stand for instead of a file."""
    os.mkfifo(fifo)
    for kind in ("store", "checkpoint", "profile", "safetensors"):
        os.mkfifo(path(kind, "bad-fifo"))
    for kind in ("store", "checkpoint", "schedule", "ini", "profile", "safetensors"):
        os.mkdir(path(kind, "bad-folder"))
        os.symlink("missing", path(kind, "bad-dangling"))
        os.symlink("bad-circle", path(kind, "bad-circle"))
    for kind in ("store", "checkpoint", "schedule", "profile", "safetensors"):
        open(path(kind, "bad-empty"), "w").close()
    for kind in ("store", "checkpoint"):
        write("bad-signature", kind, b"\x89HDF\r\n\x1a\n")
        write("bad-signatures", kind, b"\x89HDF\r\n\x1a\n" * 600)
    magic = 0x316C61657376696B
    for extents in (0, 1, 2**61, 2**64 - 1):
        write(f"bad-seal-{extents}", "checkpoint", bytes(100) + struct.pack("<QQQ", extents, 0, magic))
    for kind in ("store", "profile", "safetensors"):  # sparse
        write("bad-terabyte", kind, b"{")
        os.truncate(path(kind, "bad-terabyte"), huge)


whole_file_cases()
store_cases()
checkpoint_cases()
header_cases(write_store)
text_cases()
safetensors_cases()
