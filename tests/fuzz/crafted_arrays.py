"""What crafted.py makes as safetensors files: other types, headers that lie, and such as cost much to read."""
import json

from crafted_texts import write

MOST = 2**24  # bytes of a header that is read


def array(type, shape, begin, end):
    return {"dtype": type, "shape": shape, "data_offsets": [begin, end]}


def put(name, header, values=b""):
    words = header if isinstance(header, bytes) else json.dumps(header).encode()
    write(name, "safetensors", len(words).to_bytes(8, "little") + words + values)


def safetensors_cases():
    put("half.safetensors", {"a": array("F16", [2, 2], 0, 8), "b": array("BF16", [3], 8, 14),
                             "c": array("F32", [], 14, 18), "d": array("F32", [0, 5], 18, 18),
                             "__metadata__": {"format": "pt"}}, bytes(range(18)))
    put("nothing.safetensors", {})
    one = array("F32", [2], 0, 8)
    headers = {
        "list": b"[]", "word": b"null", "cut": b'{"a":', "after": b"{}x", "utf8": b'{"\xff":1}', "number": b"1e999",
        "twice": b'{"a":%s,"a":%s}' % ((json.dumps(one).encode(),) * 2), "control": {"\x1b[2J": one | {"dtype": "F8"}},
        "no-type": {"a": {"shape": [2], "data_offsets": [0, 8]}}, "type": {"a": one | {"dtype": 3}},
        "unread": {"a": one | {"dtype": "I64", "shape": [1]}}, "unknown": {"a": one | {"dtype": "Q8"}},
        "shape": {"a": one | {"shape": 2}}, "extent": {"a": one | {"shape": [-2]}},
        "part": {"a": one | {"shape": [2.0]}},
        "product": {"a": one | {"shape": [2**32, 2**32, 2**32]}}, "vast": {"a": one | {"shape": [2**64 - 1]}},
        "wraps": {"a": one | {"shape": [2**62 + 2]}}, "many": {"a": one | {"shape": [1] * 10000 + [3]}},
        "offsets": {"a": one | {"data_offsets": [0, 8, 8]}}, "back": {"a": one | {"data_offsets": [8, 0]}},
        "far": {"a": array("F32", [2], 2**63, 2**63 + 8)}, "gap": {"a": array("F32", [1], 4, 8)},
        "overlap": {"a": one, "b": array("F32", [1], 4, 8)}, "short": {"a": array("F32", [1], 0, 4)},
        "long": {"a": array("F32", [4], 0, 16)}, "array": {"a": [1, 2]}}
    for name, header in headers.items():
        put(f"bad-{name}", header, bytes(8))
    put("bad-deep", b"[" * MOST)
    put("bad-deep-names", b'{"a":' * (MOST // 5))
    put("bad-numbers", b'{"a":[' + b"1," * (MOST // 2 - 8) + b"1]}")
    put("bad-names", b"{" + b",".join(b'"%x":0' % n for n in range(MOST // 12)) + b"}")
    for length in (0, 1, MOST + 1, 2**63, 2**64 - 1):
        write(f"bad-length-{length}", "safetensors", length.to_bytes(8, "little") + b"{}")
    write("bad-prefix", "safetensors", b"1234567")
