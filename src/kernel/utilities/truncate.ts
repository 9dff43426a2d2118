/** Implements the `truncate` utility, which shrinks or extends files to a size. */
import type { Program } from "../System.ts"
import { parseSize } from "./shared/quantities.ts"
import { defineUtility } from "./shared/defineUtility.ts"

const operations: Readonly<Record<string, (old: number, size: number) => number>> = {
  "+": (old, size) => old + size,
  "-": (old, size) => Math.max(0, old - size),
  "<": (old, size) => Math.min(old, size),
  ">": (old, size) => Math.max(old, size),
  "/": (old, size) => Math.floor(old / size) * size,
  "%": (old, size) => Math.ceil(old / size) * size,
}

/** `truncate [-c] -s [+-<>/%]SIZE | -r FILE FILE...`: sets the sizes of files. Source: truncate(1). */
export const truncate: Program = defineUtility("truncate", "s|size: c|no-create r|reference:", (io) => {
  const { system } = io
  if (io.operands.length === 0) return io.failUsage("missing file operand")
  const reference = io.value("r")
  const like = reference === undefined ? undefined : system.stat(reference)
  if (typeof like === "number") return io.fail(`cannot stat '${reference ?? ""}'`, like)
  const text = io.value("s")
  if (text === undefined && like === undefined) return io.failUsage("you must specify either ‘--size’ or ‘--reference’")
  const [, sign = "", number = ""] = /^([-+<>/%]?)(.*)$/s.exec(text ?? `${like?.size ?? 0}`) ?? []
  const size = parseSize(number)
  if (size === undefined || (/[/%]/.test(sign) && size === 0)) return io.fail(`Invalid number: ‘${text ?? ""}’`)
  for (const path of io.operands) {
    const known = system.stat(path)
    if (typeof known === "number" && io.has("c")) continue
    const fd = system.open(path, { create: true, write: true })
    if (fd < 0) {
      io.warn(`cannot open '${path}' for writing`, fd)
      continue
    }
    const old = like !== undefined && text !== undefined ? like.size : typeof known === "number" ? 0 : known.size
    const wanted = operations[sign]?.(old, size) ?? size
    const result = system.truncate(fd, wanted)
    if (result < 0) io.warn(`failed to truncate '${path}' at ${wanted} bytes`, result)
    system.close(fd)
  }
})
