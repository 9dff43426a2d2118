import type { Stat } from "../Stat.ts"
import type { Program } from "../System.ts"
import { unescape } from "./shared/unescape.ts"
import { formatMode, ownerOf } from "./shared/modes.ts"
import { formatTime } from "./shared/parseTime.ts"
import { utility, type UtilityIo } from "./shared/utility.ts"

const usual = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %D\tInode: %-11i Links: %h\n" +
  "Access: (%04a/%A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: -\n"

/** `stat [-Lt] [-c FORMAT | --printf=FORMAT] FILE...`: what is known of files. Source: stat(1). */
export const stat: Program = utility("stat", "c|format: printf: L|dereference t|terse f|file-system", (io) => {
  if (io.operands.length === 0) return io.missingOperand()
  const printf = io.value("printf")
  const given = io.value("c")
  const format = printf !== undefined ? unescape(printf).value : given !== undefined ? `${given}\n` : usual
  for (const path of io.operands) {
    const found = io.system.stat(path, { follow: io.has("L") })
    if (typeof found === "number") io.warn(`cannot stat '${path}'`, found)
    else io.out.putText(show(io, format, path, found))
  }
})

const kind = (found: Stat): string =>
  found.type === 3
    ? "directory"
    : found.type === 7
    ? "symbolic link"
    : found.type === 2
    ? "character special file"
    : found.type === 4
    ? (found.size === 0 ? "regular empty file" : "regular file")
    : "fifo"

const show = (io: UtilityIo, format: string, path: string, found: Stat): string => {
  const { group, user } = ownerOf(io.system.env)
  const zone = io.system.env.get("TZ")
  const full = (time: bigint): string => formatTime("%Y-%m-%d %H:%M:%S.%N %z", time, zone)
  const seconds = (time: bigint): string => `${time / 1_000_000_000n}`
  const target = found.type === 7 ? io.system.readlink(path) : undefined
  const fields: Readonly<Record<string, string>> = {
    "%": "%",
    A: formatMode(found),
    B: "512",
    D: found.device.toString(16),
    F: kind(found),
    G: group,
    N: typeof target === "string" ? `'${path}' -> '${target}'` : `'${path}'`,
    U: user,
    X: seconds(found.accessed),
    Y: seconds(found.modified),
    Z: seconds(found.changed),
    a: found.mode.toString(8),
    b: `${Math.ceil(found.size / 512)}`,
    d: `${found.device}`,
    f: ((found.type === 3 ? 0o40000 : found.type === 7 ? 0o120000 : found.type === 2 ? 0o20000 : 0o100000) | found.mode)
      .toString(16),
    g: "0",
    h: `${found.links}`,
    i: `${found.inode}`,
    n: path,
    o: "4096",
    s: `${found.size}`,
    u: "0",
    x: full(found.accessed),
    y: full(found.modified),
    z: full(found.changed),
  }
  if (usual === format) {
    fields.N !== undefined &&
      (format = format.replace("%N", typeof target === "string" ? `${path} -> ${target}` : path))
  }
  return format.replace(/%([-0]?)([0-9]*)([a-zA-Z%])/g, (_all, flag: string, width: string, letter: string) => {
    const value = Object.hasOwn(fields, letter) ? fields[letter] ?? "?" : "?"
    const size = Math.min(1024, Number(width))
    return flag === "-" ? value.padEnd(size) : value.padStart(size, flag === "0" ? "0" : " ")
  })
}
