#!/usr/bin/python3
"""Exchanges safetensors files with PyTorch: a few lines read and write the format, so that nothing but torch is
needed.

    tools/check_safetensors.py write FILE   a state_dict of PyTorch's, as PyTorch's own library lays it out
    tools/check_safetensors.py check FILE   ends with 1 unless FILE holds exactly that state_dict
"""
import json
import struct
import sys
import zlib

import torch

TYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
    "I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8,
    "BOOL": torch.bool,
}
NAMES = {dtype: name for name, dtype in TYPES.items()}


def example():
    """A small network whose every number is known: element i of a tensor is (i - 3) / 8."""
    network = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 2).double())
    state = network.state_dict()
    for tensor in state.values():
        values = (torch.arange(tensor.numel(), dtype=torch.float64) - 3) / 8
        tensor.copy_(values.reshape(tensor.shape).to(tensor.dtype))
    state["mask"] = torch.tensor([True, False, True])
    return state, {"format": "pt", "epoch": "3"}


def write(path, state, metadata):
    # Wide elements first, then by name: every tensor is aligned.
    names = sorted(state, key=lambda name: (-state[name].element_size(), name))
    header, data = {"__metadata__": metadata}, b""
    for name in names:
        tensor = state[name].contiguous()
        raw = bytes(tensor.flatten().view(torch.uint8).tolist()) if tensor.dim() else bytes(
            tensor.reshape(1).view(torch.uint8).tolist())
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    with open(path, "rb") as file:
        raw = file.read()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + length])
    metadata = header.pop("__metadata__", {})
    # Files of likely's have a checksum of the header, in which it stands as 0, and of each tensor.
    checksums = metadata.pop("likely.checksums", "").split()[1:]
    state = {}
    if checksums:
        zeros = raw[8:8 + length].replace(checksums[0].encode(), b"0" * 8, 1)
        tensors = sorted(header.values(), key=lambda entry: entry["data_offsets"])
        computed = [zeros] + [raw[8 + length + begin:8 + length + end]
                              for begin, end in (entry["data_offsets"] for entry in tensors)]
        if checksums != [f"{zlib.crc32(part):08x}" for part in computed]:
            sys.exit(f"{path}: a checksum does not fit")
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        dtype = TYPES[entry["dtype"]]
        flat = torch.frombuffer(bytearray(raw[begin:end]), dtype=dtype) if end > begin else torch.empty(0, dtype=dtype)
        state[name] = flat.reshape(entry["shape"])
    return state, metadata


def check(path):
    state, metadata = read(path)
    wanted, wanted_metadata = example()
    wrong = sorted(set(state) ^ set(wanted))
    for name in set(state) & set(wanted):
        if state[name].dtype != wanted[name].dtype or not torch.equal(state[name], wanted[name]):
            wrong.append(name)
    if metadata != wanted_metadata:
        wrong.append("__metadata__")
    # What was read must also load into the network itself.
    state.pop("mask", None)
    network = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 2).double())
    network.load_state_dict(state)
    if wrong:
        sys.exit("different: " + ", ".join(wrong))
    print(f"{path}: {len(wanted)} tensors are as PyTorch has them")


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("write", "check"):
        sys.exit(__doc__)
    if sys.argv[1] == "write":
        write(sys.argv[2], *example())
    else:
        check(sys.argv[2])


if __name__ == "__main__":
    main()
