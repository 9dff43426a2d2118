/** Implements the `stat` utility, which prints the status of files in a format. */
import { FileType, type Stat } from "../../Stat.ts"
import type { Program } from "../../System.ts"
import { decodeEscapes } from "../../shell/builtins/escapes.ts"
import { formatMode, idsOf, ownerOf } from "../../modes.ts"
import { maxFormatLength, strftime } from "../../strftime.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

const defaultFormat =
  "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %D\tInode: %-11i Links: %h\n" +
  "Access: (%04a/%A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: -\n"

const terseFormat = "%n %s %b %f %u %g %D %i %h 0 0 %X %Y %Z 0 %o\n"

/** `stat [-Lt] [-c FORMAT | --printf=FORMAT] FILE...`: prints the status of files. Source: stat(1). */
export const stat: Program = defineUtility("stat", "c|format: printf: L|dereference t|terse f|file-system", (io) => {
  const printf = io.value("printf")
  const given = io.value("c")
  const format = printf !== undefined
    ? decodeEscapes(printf)
    : given !== undefined
    ? `${given}\n`
    : io.has("t")
    ? terseFormat
    : defaultFormat
  if (io.has("f")) return io.fail("-f is not supported: file systems have no status")
  if (format.length > maxFormatLength) return io.fail(`the format is longer than ${maxFormatLength} characters`)
  for (const path of io.operands) {
    const found = io.system.stat(path, { follow: io.has("L") })
    if (typeof found === "number") io.warn(`cannot stat '${path}'`, found)
    else io.print(formatStat(io, format, path, found))
  }
}, { minOperands: 1 })

/** The name of each file type, and its bits in `st_mode`. */
const fileTypes: Readonly<Record<number, readonly [name: string, bits: number]>> = {
  [FileType.characterDevice]: ["character special file", 0o20000],
  [FileType.directory]: ["directory", 0o40000],
  [FileType.regularFile]: ["regular file", 0o100000],
  [FileType.symbolicLink]: ["symbolic link", 0o120000],
}

const formatStat = (io: UtilityIo, format: string, path: string, found: Stat): string => {
  const { group, user } = ownerOf(io.system.env, found)
  const ids = idsOf(found)
  const [typeName, typeBits] = fileTypes[found.type] ?? ["fifo", 0o10000]
  const full = (time: bigint): string => strftime("%Y-%m-%d %H:%M:%S.%N %z", time, io.zone)
  const seconds = (time: bigint): string => `${time / 1_000_000_000n}`
  const quote = format === defaultFormat ? "" : "'"
  const target = found.type === FileType.symbolicLink ? io.system.readlink(path) : undefined
  const fields: Readonly<Record<string, string>> = {
    "%": "%",
    A: formatMode(found),
    B: "512",
    D: found.device.toString(16),
    F: found.type === FileType.regularFile && found.size === 0 ? "regular empty file" : typeName,
    G: group,
    N: typeof target === "string" ? `${quote}${path}${quote} -> ${quote}${target}${quote}` : quote + path + quote,
    U: user,
    W: "0",
    X: seconds(found.accessed),
    Y: seconds(found.modified),
    Z: seconds(found.changed),
    a: found.mode.toString(8),
    b: `${found.blocks ?? Math.ceil(found.size / 512)}`,
    d: `${found.device}`,
    f: (typeBits | found.mode).toString(16),
    g: ids.group,
    h: `${found.links}`,
    i: `${found.inode}`,
    n: path,
    o: "4096",
    s: `${found.size}`,
    u: ids.user,
    x: full(found.accessed),
    y: full(found.modified),
    z: full(found.changed),
  }
  return format.replace(/%([-0]?)([0-9]*)([a-zA-Z%])/g, (_all, flag: string, width: string, letter: string) => {
    const value = Object.hasOwn(fields, letter) ? fields[letter] ?? "?" : "?"
    const size = Math.min(1024, Number(width))
    return flag === "-" ? value.padEnd(size) : value.padStart(size, flag === "0" ? "0" : " ")
  })
}
