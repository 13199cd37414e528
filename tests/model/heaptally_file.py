"""Reads a .heaptally file by its documented layout, independently of the tool:
raw sections only, as the runtime writes them."""

import array
import struct

TYPES = {1: "B", 4: "I", 8: "Q"}
FACTS, CAPTURE, MODULES, RECORDING = 0x01, 0x02, 0x03, 0x05
NODES_PARENT, NODES_PC = 0x20, 0x21
TRACEBACKS_NODE = 0x30
CURRENT, EVER, OWN_PEAK, AT_PEAK = 0x31, 0x34, 0x37, 0x3a
BLOCKS_ADDRESS, BLOCKS_TRACEBACK, BLOCKS_REQUESTED = 0x50, 0x51, 0x52
BLOCKS_USABLE, BLOCKS_EPOCH = 0x53, 0x54
FIRST_ID = 16


class File:
    def __init__(self, path):
        with open(path, "rb") as stream:
            self.data = stream.read()
        (magic, major, _, header_size, count, entry_size, table, size, _, _,
         _) = struct.unpack_from("<8sHHIIIQQQQQ", self.data, 0)
        assert magic == b"HEAPTALY" and major == 1 and header_size == 64, path
        assert entry_size == 64 and size == len(self.data), path
        self.sections = {}
        for i in range(count):
            entry = struct.unpack_from("<IIQQQQIIQQ", self.data, table + 64 * i)
            kind, encoding, offset, stored, size, count_, element = entry[:7]
            assert encoding == 0 and stored == size == count_ * element, entry
            self.sections[kind] = (offset, size, element)

    def bytes(self, kind):
        offset, size, _ = self.sections[kind]
        return self.data[offset:offset + size]

    def column(self, kind):
        values = array.array(TYPES[self.sections[kind][2]])
        values.frombytes(self.bytes(kind))
        return values

    def facts(self):
        lines = self.bytes(FACTS).decode().splitlines()
        return dict(line.split("=", 1) for line in lines)

    def amount(self, name):
        """blocks, requested and usable of a fact."""
        facts = self.facts()
        return tuple(int(facts[f"{name}.{field}"])
                     for field in ("blocks", "requested", "usable"))

    def amounts(self, kind):
        """blocks, requested and usable of every traceback."""
        return list(zip(self.column(kind), self.column(kind + 1),
                        self.column(kind + 2)))

    def blocks(self):
        """{address: (traceback, requested, usable, epoch)}"""
        columns = [self.column(kind) for kind in (
            BLOCKS_TRACEBACK, BLOCKS_REQUESTED, BLOCKS_USABLE, BLOCKS_EPOCH)]
        addresses = list(self.column(BLOCKS_ADDRESS))
        assert addresses == sorted(set(addresses)), "not ascending"
        return dict(zip(addresses, zip(*columns)))

    def frames(self, traceback):
        """Return addresses, innermost first."""
        parents, pcs = self.parents_and_pcs()
        node = self.column(TRACEBACKS_NODE)[traceback]
        while node >= FIRST_ID:
            yield pcs[node]
            node = parents[node]

    def parents_and_pcs(self):
        if not hasattr(self, "_nodes"):
            self._nodes = (self.column(NODES_PARENT), self.column(NODES_PC))
        return self._nodes

    def bias_of(self, path):
        """What is added to the addresses in the symbol table of `path`."""
        for line in self.bytes(MODULES).decode().splitlines():
            _, bias, generation, _, name = line.split(" ", 4)
            if name == path and generation == "0":
                return int(bias, 16)
        raise AssertionError(f"no module {path}")
