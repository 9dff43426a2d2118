/** Implements the `file` utility, which tells types of files by their first bytes. */
import { bytesToBinary } from "../../binaryString.ts"
import { errnoText } from "../../Errno.ts"
import { FileType } from "../../Stat.ts"
import type { Program } from "../../System.ts"
import { readerOf } from "../archives/ByteReader.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

/** Number of bytes of a file that are examined. */
const maxProbeBytes = 65_536

interface Kind {
  readonly text: string
  readonly mime: string
}

const number = (bytes: string, at: number, size: number, isLittle: boolean): number => {
  const digits = Array.from(bytes.slice(at, at + size), (letter) => letter.charCodeAt(0))
  return (isLittle ? digits.reverse() : digits).reduce((value, digit) => value * 256 + digit, 0)
}

const pngColors: Readonly<Record<number, string>> = {
  ...{ 0: "grayscale", 2: "/color RGB", 3: " colormap", 4: " gray+alpha", 6: "/color RGBA" },
}

const describeElf = (bytes: string): Kind => {
  const [is64, isLittle] = [bytes.charCodeAt(4) === 2, bytes.charCodeAt(5) === 1]
  const type = number(bytes, 16, 2, isLittle)
  const kinds = ["no file type", "relocatable", "executable", "shared object", "core file"]
  const machines: Readonly<Record<number, string>> = {
    3: "Intel 80386",
    40: "ARM",
    62: "x86-64",
    183: "ARM aarch64",
    243: "UCB RISC-V",
  }
  const machine = machines[number(bytes, 18, 2, isLittle)] ?? "unknown machine"
  const mimes = [
    "application/octet-stream",
    "application/x-object",
    "application/x-executable",
    "application/x-sharedlib",
    "application/x-coredump",
  ]
  return {
    text: `ELF ${is64 ? 64 : 32}-bit ${isLittle ? "LSB" : "MSB"} ${
      kinds[type] ?? "unknown"
    }, ${machine}, version 1 (SYSV)`,
    mime: mimes[type] ?? "application/octet-stream",
  }
}

/** Starts of files, with their types. */
const magics: ReadonlyArray<readonly [start: string, describe: (bytes: string) => Kind]> = [
  ["\x7fELF", describeElf],
  ["\x89PNG\r\n\x1a\n", (bytes) => ({
    text:
      `PNG image data, ${number(bytes, 16, 4, false)} x ${number(bytes, 20, 4, false)}, ${bytes.charCodeAt(24)}-bit` +
      `${pngColors[bytes.charCodeAt(25)] ?? ""}, ${bytes.charCodeAt(28) === 0 ? "non-interlaced" : "interlaced"}`,
    mime: "image/png",
  })],
  ["GIF8", (bytes) => ({
    text: `GIF image data, version ${bytes.slice(3, 6)}, ${number(bytes, 6, 2, true)} x ${number(bytes, 8, 2, true)}`,
    mime: "image/gif",
  })],
  ["\xff\xd8\xff", () => ({ text: "JPEG image data", mime: "image/jpeg" })],
  ["%PDF-", (bytes) => ({ text: `PDF document, version ${bytes.slice(5, 8)}`, mime: "application/pdf" })],
  ["PK\x03\x04", (bytes) => ({
    text: `Zip archive data, at least v${(number(bytes, 4, 2, true) / 10).toFixed(1)} to extract, compression method=` +
      (number(bytes, 8, 2, true) === 8 ? "deflate" : "store"),
    mime: "application/zip",
  })],
  ["PK\x05\x06", () => ({ text: "Zip archive data (empty)", mime: "application/zip" })],
  ["\x1f\x8b", () => ({ text: "gzip compressed data", mime: "application/gzip" })],
  ["BZh", () => ({ text: "bzip2 compressed data", mime: "application/x-bzip2" })],
  ["\xfd7zXZ\0", () => ({ text: "XZ compressed data", mime: "application/x-xz" })],
  ["(\xb5/\xfd", () => ({ text: "Zstandard compressed data (v0.8+)", mime: "application/zstd" })],
  ["7z\xbc\xaf\x27\x1c", () => ({ text: "7-zip archive data", mime: "application/x-7z-compressed" })],
  ["\0asm", (bytes) => ({
    text: `WebAssembly (wasm) binary module version 0x${number(bytes, 4, 4, true).toString(16)} (MVP)`,
    mime: "application/wasm",
  })],
  ["SQLite format 3\0", () => ({ text: "SQLite 3.x database", mime: "application/vnd.sqlite3" })],
]

const interpreters: Readonly<Record<string, Kind>> = {
  bash: { text: "Bourne-Again shell script", mime: "text/x-shellscript" },
  sh: { text: "POSIX shell script", mime: "text/x-shellscript" },
  python: { text: "Python script", mime: "text/x-script.python" },
  python3: { text: "Python script", mime: "text/x-script.python" },
  node: { text: "Node.js script", mime: "application/javascript" },
  perl: { text: "Perl script", mime: "text/x-perl" },
}

const describeText = (bytes: string, isWhole: boolean): Kind | undefined => {
  // deno-lint-ignore no-control-regex -- control characters tell data from text
  if (/[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]/.test(bytes)) return undefined
  const isAscii = !/[\x80-\xff]/.test(bytes)
  let encoding = "ASCII"
  if (!isAscii) {
    try {
      const raw = Uint8Array.from(bytes, (letter) => letter.charCodeAt(0))
      new TextDecoder("utf-8", { fatal: true }).decode(raw, { stream: !isWhole })
      encoding = bytes.startsWith("\xef\xbb\xbf") ? "Unicode text, UTF-8 (with BOM)" : "Unicode text, UTF-8"
    } catch {
      encoding = /[\x80-\x9f]/.test(bytes) ? "Non-ISO extended-ASCII" : "ISO-8859"
    }
  }
  const maxLineLength = bytes.split("\n").reduce((length, line) => Math.max(length, line.length), 0)
  const crlf = /\r\n/.test(bytes)
  const mixed = crlf && /[^\r]\n/.test(bytes)
  const ends = mixed
    ? ", with CRLF, LF line terminators"
    : crlf
    ? ", with CRLF line terminators"
    : /\n/.test(bytes)
    ? ""
    : ", with no line terminators"
  const long = maxLineLength > 300 ? `, with very long lines (${maxLineLength})` : ""
  const words = `${encoding} text`
  const tail = long + ends
  const script = /^#! *(\S+)(?: +(\S+))?/.exec(bytes)
  if (script !== null) {
    const path = script[1] ?? ""
    const name = path.endsWith("/env") ? script[2] ?? "" : path.replace(/^.*\//, "")
    const known = interpreters[name] ??
      { text: `a ${path}${script[2] === undefined ? "" : ` ${script[2]}`} script`, mime: "text/plain" }
    return { text: `${known.text}, ${words} executable${tail}`, mime: known.mime }
  }
  if (isWhole && isJson(bytes)) return { text: "JSON text data", mime: "application/json" }
  if (/^<\?xml /.test(bytes)) return { text: `XML 1.0 document, ${words}${tail}`, mime: "text/xml" }
  if (/^\s*<(!doctype html|html|head|body)\b/i.test(bytes)) {
    return { text: `HTML document, ${words}${tail}`, mime: "text/html" }
  }
  return { text: words + tail, mime: "text/plain" }
}

const isJson = (bytes: string): boolean => {
  if (!/^\s*[[{]/.test(bytes)) return false
  try {
    JSON.parse(bytes)
    return true
  } catch {
    return false
  }
}

const charsetOf = (bytes: string, kind: Kind): string =>
  !/^(text\/|application\/(json|javascript))/.test(kind.mime)
    ? "binary"
    : !/[\x80-\xff]/.test(bytes)
    ? "us-ascii"
    : kind.text.includes("ISO-8859")
    ? "iso-8859-1"
    : "utf-8"

const probe = async (io: UtilityIo, path: string): Promise<readonly [kind: Kind, charset: string]> => {
  const stat = path === "-" ? io.system.fstat(0) : io.system.stat(path, { follow: io.lastOf("L", "h")?.[0] === "L" })
  if (typeof stat === "number") {
    return [{
      text: `cannot open \`${path}' (${errnoText(stat)})`,
      mime: `cannot open \`${path}' (${errnoText(stat)})`,
    }, ""]
  }
  if (stat.type === FileType.directory) return [{ text: "directory", mime: "inode/directory" }, "binary"]
  if (stat.type === FileType.symbolicLink) {
    const isBroken = typeof io.system.stat(path) === "number"
    const text = `${isBroken ? "broken " : ""}symbolic link to ${io.system.readlink(path)}`
    return [{ text, mime: "inode/symlink" }, "binary"]
  }
  if (stat.type === FileType.unknown) return [{ text: "fifo (named pipe)", mime: "inode/fifo" }, "binary"]
  if (stat.type === FileType.characterDevice) return [{ text: "character special", mime: "inode/chardevice" }, "binary"]
  const input = io.openInput(path)
  if (input === undefined) return [{ text: "cannot open", mime: "cannot open" }, ""]
  const reader = readerOf(io, input)
  const count = await reader.ensure(maxProbeBytes)
  const bytes = bytesToBinary(reader.bytes, reader.at, reader.at + Math.min(count, maxProbeBytes))
  input.close()
  if (bytes === "") return [{ text: "empty", mime: "inode/x-empty" }, "binary"]
  const magic = magics.find(([start]) => bytes.startsWith(start))?.[1](bytes)
  const tar = bytes.slice(257, 262) === "ustar"
    ? { text: bytes[262] === " " ? "POSIX tar archive (GNU)" : "POSIX tar archive", mime: "application/x-tar" }
    : undefined
  const kind = magic ?? tar ?? describeText(bytes, count < maxProbeBytes) ??
    { text: "data", mime: "application/octet-stream" }
  return [kind, charsetOf(bytes, kind)]
}

/** `file [-bhLi0] [--mime-type] [-f NAMES] FILE...`: tells types of files. Source: file(1). */
export const file: Program = defineUtility(
  "file",
  "b|brief h|no-dereference L|dereference i|mime mime-type mime-encoding f|files-from: F|separator: N|no-pad",
  async (io) => {
    const paths = [...io.operands]
    for (const list of io.values("f")) {
      const input = io.openInput(list)
      if (input === undefined) return 1
      await io.forEachLine([input], (line) => void paths.push(line))
      input.close()
    }
    if (paths.length === 0) io.fail("missing operand")
    const width = io.has("N") ? 0 : paths.reduce((length, path) => Math.max(length, path.length), 0)
    for (const path of paths) {
      const [kind, charset] = await probe(io, path)
      const mime = charset === "" ? kind.mime : `${kind.mime}; charset=${charset}`
      const text = io.has("i") ? mime : io.has("mime-type") ? kind.mime : io.has("mime-encoding") ? charset : kind.text
      const label = path === "-" ? "/dev/stdin" : path
      const separator = io.value("F") ?? ":"
      io.print(
        io.has("b") ? `${text}\n` : `${label}${separator} ${" ".repeat(Math.max(0, width - path.length))}${text}\n`,
      )
      await io.flushAndYield()
    }
    return 0
  },
)
