"""bind.py -- reads spate's C headers and writes the ctypes binding of them, spate/_api.py.

    python3 bind.py INCLUDE_FOLDER OUT.py

The headers are the one definition of the API: structs, enums, functions and the words about them come from there, so
that a change of a header is a change of the binding, and what this reader does not understand ends the build.
tests/python/layout.py asks the C compiler whether the layouts are the same.
"""
import re
import sys
from pathlib import Path

HEADERS = ("spate.h", "spate_io.h")

PLAIN = {
    "void": "None", "bool": "c_bool", "char": "c_char", "int": "c_int", "float": "c_float", "double": "c_double",
    "size_t": "c_size_t", "ptrdiff_t": "c_ssize_t", "uint8_t": "c_uint8", "uint32_t": "c_uint32",
    "uint64_t": "c_uint64",
}


class Header:
    """One header: its text without comments, and the comments by where they stand."""

    def __init__(self, path):
        text = Path(path).read_text(encoding="utf-8")
        self.path = path
        self.comments = []  # (begin, end, words)
        for match in re.finditer(r"/\*.*?\*/", text, re.S):
            words = re.sub(r"^\s*\*? ?", "", match.group()[2:-2], flags=re.M)
            self.comments.append((match.start(), match.end(), " ".join(words.split())))
        blank = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)
        # preprocessor lines, with those that they continue on
        self.text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", lambda m: re.sub(r"[^\n]", " ", m.group()), blank,
                           flags=re.M)
        self.text = re.sub(r'extern "C" \{|^\}\s*\Z', lambda m: " " * len(m.group()), self.text, flags=re.M)
        self.macros = dict(re.findall(r'^#define (SPATE_VERSION_\w+) (\d+)$', blank, re.M))

    def before(self, position):
        """The words of the comment that ends right above a declaration."""
        for begin, end, words in self.comments:
            if end <= position and not self.text[end:position].strip() and self.text[end:position].count("\n") <= 1:
                line = self.text.rfind("\n", 0, begin) + 1
                if not self.text[line:begin].strip():  # not the one that ends the line above
                    return words
        return ""

    def behind(self, position):
        """The words of the comment that begins on the line where a declaration ends."""
        for begin, _, words in self.comments:
            if begin >= position and not self.text[position:begin].strip() and "\n" not in self.text[position:begin]:
                return words
        return ""


class Reader:
    def __init__(self):
        self.enums, self.structs, self.opaque, self.callbacks, self.functions = {}, {}, [], {}, {}
        self.words, self.members, self.version = {}, {}, {}

    # ---- types

    def type_of(self, text, stars, where):
        name = re.sub(r"\b(const|struct|enum)\b", " ", text).strip()
        if stars == 0:
            if name in PLAIN:
                return PLAIN[name]
            if name in self.enums:
                return "c_int"
            if name in self.structs:
                return name
        if name in self.callbacks and stars == 1:
            return name
        if name in self.opaque or (name == "void" and stars):
            return "c_void_p" if stars == 1 else "POINTER(c_void_p)"
        if name == "char" and stars == 1:
            return "c_char_p"
        if name == "char" and stars == 2:
            return "POINTER(c_char_p)"
        if stars >= 1 and (name in PLAIN or name in self.structs or name in self.enums):
            inner = self.type_of(name, 0, where)
            for _ in range(stars):
                inner = f"POINTER({inner})"
            return inner
        raise SystemExit(f"bind.py: {where}: unknown type '{text}{'*' * stars}'")

    def declarator(self, base, text, where):
        """(name, type) of what follows a type: stars, a name, sizes of arrays."""
        match = re.fullmatch(r"\s*((?:\*|\s|\bconst\b)*)(\w*)\s*((?:\[\w*\])*)\s*", text)
        if not match:
            raise SystemExit(f"bind.py: {where}: cannot read '{base} {text}'")
        kind = self.type_of(base, match.group(1).count("*"), where)
        for size in reversed(re.findall(r"\[(\w*)\]", match.group(3))):
            kind = f"{kind} * {size}" if not kind.endswith(")") or kind.startswith("POINTER") else f"({kind}) * {size}"
            kind = f"({kind})"
        return match.group(2), kind

    def parameter(self, text, where):
        if text.strip() == "void":
            return None
        inner = re.fullmatch(r"\s*void \(\*(\w+)\)\((.*)\)\s*", text, re.S)
        if inner:
            types = [self.parameter(part, where)[1] for part in split(inner.group(2))]
            return inner.group(1), "CFUNCTYPE(None, " + ", ".join(types) + ")"
        match = re.fullmatch(r"\s*((?:const\s+)?(?:struct\s+|enum\s+)?\w+(?:\s+const)?)\b(.*)", text, re.S)
        tail = match.group(2)
        array = re.search(r"((?:\[\w*\])+)\s*$", tail)
        if array:  # an array as a parameter is a pointer to its items
            stars = tail[: array.start()].count("*")
            name = re.search(r"\w+", tail[: array.start()]).group()
            return name, "POINTER(" + self.type_of(match.group(1), stars, where) + ")"
        return self.declarator(match.group(1), tail, where)

    # ---- declarations

    def read(self, header):
        for key, value in header.macros.items():
            self.version[key] = int(value)
        position, last, end = 0, "", 0
        while True:
            match = re.compile(r"\S").search(header.text, position)
            if not match:
                return
            begin = match.start()
            if "\n\n" in header.text[end:begin]:
                last = ""  # words stand for all declarations up to the next blank line
            end = scan(header.text, begin, header.path)
            text = header.text[begin:end]
            words = header.before(begin) or header.behind(end)
            if words:
                last = words
            self.declare(header, begin, text, words, last)
            position = end

    def declare(self, header, begin, text, words, last):
        flat = " ".join(text.split())
        where = f"{Path(header.path).name}: {flat[:60]}"
        if flat.startswith("static inline"):
            name = re.search(r"(\w+)\(", flat).group(1)
            self.words[name] = words
        elif flat.startswith("typedef enum"):
            self.enum(header, begin, text)
            self.words[re.match(r"typedef enum (\w+)", flat).group(1)] = words
        elif flat.startswith("typedef struct") and "{" in flat:
            name = re.match(r"typedef struct (\w+)", flat).group(1)
            self.words[name] = words
            if name == "spate_stats":  # its members are those of spate_stat_info
                self.opaque.append(name)
                return
            at = text.index("{")
            self.struct(header, name, begin + at + 1, text[at + 1 : text.rindex("}")], where)
        elif flat.startswith("typedef struct"):
            self.opaque.append(re.match(r"typedef struct (\w+)", flat).group(1))
        elif flat.startswith("typedef"):
            match = re.fullmatch(r"typedef (.+?)(\*?)(spate_\w+)\((.*)\);", flat)
            returned = self.declarator(match.group(1), match.group(2), where)[1]
            types = [p[1] for p in map(lambda t: self.parameter(t, where), split(match.group(4))) if p]
            # text that a callback gets is read as bytes; arrays and handles as addresses
            self.callbacks[match.group(3)] = ", ".join([returned] + types)
            self.words[match.group(3)] = words
        elif flat.startswith("SPATE_API"):
            match = re.fullmatch(r"SPATE_API (.+?)(\**)\s*(spate_\w+)\((.*)\);", flat)
            base, stars, name, parameters = match.groups()
            kind = self.type_of(base, len(stars), where)
            if stars and kind == "c_char_p" and "const" not in base:
                kind = "c_void_p"  # text that is ours to free: the address must not get lost
            found = [p for p in map(lambda t: self.parameter(t, where), split(parameters)) if p]
            self.functions[name] = (kind, found, Path(header.path).stem)
            self.words[name] = words or last
        else:
            raise SystemExit(f"bind.py: cannot read the declaration in {where}")

    def enum(self, header, begin, text):
        name = re.match(r"typedef enum (\w+)", text).group(1)
        value, values, at = -1, {}, text.index("{")
        for match in re.finditer(r"(\w+)(?:\s*=\s*(\d+))?\s*(,|$)", text[at + 1 : text.rindex("}")].rstrip()):
            value = int(match.group(2)) if match.group(2) else value + 1
            values[match.group(1)] = value
            self.words[match.group(1)] = header.behind(begin + at + 1 + match.end())
        self.enums[name] = values

    def struct(self, header, name, begin, body, where):
        fields, position = [], 0
        while body[position:].strip():
            start = position + re.search(r"\S", body[position:]).start()
            end = scan(body, start, where)
            text = body[start:end]
            words = header.behind(begin + end)
            if text.startswith("struct") and "{" in text:  # a group: a struct of its own
                member = re.search(r"(\w+)\s*;$", text).group(1)
                at = text.index("{")
                self.struct(header, f"{name}_{member}", begin + start + at + 1, text[at + 1 : text.rindex("}")], where)
                fields.append((member, f"{name}_{member}", member))
            else:
                match = re.match(r"((?:const\s+)?(?:struct\s+)?\w+)\b(.*);", text, re.S)
                for part in split(match.group(2)):
                    member, kind = self.declarator(match.group(1), part, where)
                    fields.append((member, kind, member))
                    self.words[f"{name}.{member}"] = words
            position = end
        self.structs[name] = fields


def split(text):
    """At commas, but not inside of brackets."""
    parts, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(text[start:k])
            start = k + 1
    return parts + [text[start:]] if text[start:].strip() else parts


def scan(text, begin, where):
    """Where the declaration that begins here ends, behind its ';' or the body of its function."""
    depth = 0
    for k in range(begin, len(text)):
        if text[k] == "{":
            depth += 1
        elif text[k] == "}":
            depth -= 1
            if depth == 0 and text[begin:k].lstrip().startswith("static inline"):
                return k + 1
        elif text[k] == ";" and depth == 0:
            return k + 1
    raise SystemExit(f"bind.py: {where}: a declaration that does not end: {text[begin:begin + 60]!r}")


def write(reader, out):
    put = lambda *lines: out.extend(lines)
    major, minor, patch = (reader.version[f"SPATE_VERSION_{part}"] for part in ("MAJOR", "MINOR", "PATCH"))
    put('"""Made by bind.py from the headers of spate; do not edit."""', "from ctypes import *  # noqa", "",
        f"VERSION = {major * 10000 + minor * 100 + patch}", "")
    for name, values in reader.enums.items():
        put(f"# {name}", *(f"{key} = {value}" for key, value in values.items()), "")
    done, waiting = set(), list(reader.structs)

    def needs(name):
        found = " ".join(kind for _, kind, _ in reader.structs[name])
        return [other for other in waiting if re.search(rf"\b{other}\b", found) and other != name]

    for name, signature in reader.callbacks.items():
        put(f"{name} = CFUNCTYPE({signature})", "")
    while waiting:
        name = next(n for n in waiting if not needs(n))
        waiting.remove(name)
        done.add(name)
        put(f"class {name}(Structure):", f"    {reader.words.get(name, '')!r}", "    _fields_ = [",
            *(f'        ("{field}", {kind}),' for field, kind, _ in reader.structs[name]), "    ]", "")
    put("FUNCTIONS = {  # name: result, arguments, names of these, header")
    for name, (kind, parameters, header) in reader.functions.items():
        types = "".join(f"{kind}, " for _, kind in parameters)
        names = "".join(f"{name!r}, " for name, _ in parameters)
        put(f'    "{name}": ({kind}, ({types}), ({names}), "{header}"),')
    put("}", "", "STRUCTS = [" + ", ".join(reader.structs) + "]",
        f"ENUMS = {reader.enums!r}", "", "WORDS = {  # the headers' own words")
    for name, words in reader.words.items():
        put(f"    {name!r}: {words!r},")
    put("}")


def main(include, target):
    reader = Reader()
    for name in HEADERS:
        reader.read(Header(Path(include) / "spate" / name))
    out = []
    write(reader, out)
    Path(target).write_text("\n".join(out) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: python3 bind.py INCLUDE_FOLDER OUT.py")
    main(sys.argv[1], sys.argv[2])
