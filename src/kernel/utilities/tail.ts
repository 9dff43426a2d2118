import type { Program } from "../System.ts"
import type { Input } from "./shared/Input.ts"
import { parseSize } from "./shared/quantities.ts"
import { utility, type UtilityIo } from "./shared/utility.ts"

/** `tail -5` and `tail +5`. */
const rewrite = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const old = /^([-+])([0-9]+)(c|l)?(f)?$/.exec(args[0] ?? "")
  if (old === null) return args
  const [, sign, count = "", unit, follow] = old
  const value = `${sign === "+" ? "+" : ""}${count}`
  return [...(follow === undefined ? [] : ["-f"]), unit === "c" ? "-c" : "-n", value, ...args.slice(1)]
}

/** The bytes that may be held back. */
const maxHeldBytes = 256 * 1024 * 1024

/** Chunks of which the last ones are kept. */
class Kept {
  readonly chunks: Array<Uint8Array> = []
  size = 0

  push(chunk: Uint8Array): void {
    this.chunks.push(chunk)
    this.size += chunk.length
  }

  shift(): Uint8Array | undefined {
    const chunk = this.chunks.shift()
    this.size -= chunk?.length ?? 0
    return chunk
  }
}

const count = (chunk: Uint8Array, byte: number): number => {
  let found = 0
  for (let at = chunk.indexOf(byte); at >= 0; at = chunk.indexOf(byte, at + 1)) found++
  return found
}

/** Where the last units of all chunks begin, as an offset from the first chunk. */
const beginOfLast = (chunks: ReadonlyArray<Uint8Array>, size: number, units: number, bytes: boolean, byte: number) => {
  if (bytes) return Math.max(0, size - units)
  if (units === 0) return size
  let end = size
  let left = units
  for (let index = chunks.length - 1; index >= 0; index--) {
    const chunk = chunks[index]
    if (chunk === undefined) break
    const begin = end - chunk.length
    let at = chunk.length
    // The terminator of the last line does not begin another.
    if (end === size && chunk[at - 1] === byte) at--
    while (at > 0) {
      at = chunk.lastIndexOf(byte, at - 1)
      if (at < 0) break
      if (--left === 0) return begin + at + 1
      if (at === 0) break
    }
    end = begin
  }
  return 0
}

/**
 * Reads to the end and keeps the last units, counted in bytes or lines. What falls out is given to `drop`: written by
 * `head -n -N`, forgotten by `tail`.
 */
const keepLast = async (
  io: UtilityIo,
  input: Input,
  bytes: boolean,
  units: number,
  drop?: (chunk: Uint8Array) => void,
) => {
  const kept = new Kept()
  const lines: Array<number> = []
  let held = 0
  for (;;) {
    const pause = io.settle()
    if (pause !== undefined) await pause
    const chunk = new Uint8Array(kept.size > 1 << 20 ? 262_144 : 65_536)
    let got = io.system.read(input.fd, chunk)
    if (typeof got !== "number") got = await got
    if (got < 0) io.warn(input.path, got)
    if (got <= 0) break
    // Small reads are copied: a view would keep the whole chunk.
    const part = got > chunk.length / 2 ? chunk.subarray(0, got) : chunk.slice(0, got)
    const found = bytes ? got : count(part, input.terminator)
    kept.push(part)
    lines.push(found)
    held += found
    while (kept.chunks.length > 1 && held - (lines[0] ?? 0) > units) {
      const out = kept.shift()
      held -= lines.shift() ?? 0
      if (out !== undefined) drop?.(out)
    }
    if (kept.size > maxHeldBytes) io.fail(`${input.path}: more than ${maxHeldBytes} bytes would have to be held`)
    if (drop !== undefined && io.out.isFull) await io.out.flush()
  }
  let skip = beginOfLast(kept.chunks, kept.size, units, bytes, input.terminator)
  return kept.chunks.map((chunk) => {
    const cut = Math.min(skip, chunk.length)
    skip -= cut
    return [chunk.subarray(0, cut), chunk.subarray(cut)] as const
  })
}

/** Writes all but the last lines or bytes of a file. */
export const writeAllButLast = async (io: UtilityIo, input: Input, bytes: boolean, units: number): Promise<void> => {
  for (const [before] of await keepLast(io, input, bytes, units, (chunk) => io.out.putBytes(chunk))) {
    io.out.putBytes(before)
    if (io.out.isFull) await io.out.flush()
  }
}

/** Writes a file from a unit on, the first being 1. */
const from = async (io: UtilityIo, input: Input, bytes: boolean, first: number): Promise<void> => {
  const buffer = new Uint8Array(65_536)
  let skip = Math.max(0, first - 1)
  for (;;) {
    const pause = io.settle()
    if (pause !== undefined) await pause
    let got = io.system.read(input.fd, buffer)
    if (typeof got !== "number") got = await got
    if (got < 0) io.warn(input.path, got)
    if (got <= 0) return
    let at = 0
    if (bytes) {
      at = Math.min(skip, got)
      skip -= at
    }
    for (; !bytes && skip > 0 && at < got; skip--) {
      const found = buffer.indexOf(input.terminator, at)
      if (found < 0 || found >= got) {
        at = got
        break
      }
      at = found + 1
    }
    io.out.putBytes(buffer, at, got)
  }
}

/** `tail [-n [+]N] [-c [+]N] [-fFqvz] [-s SECONDS] [FILE]...`: the last lines or bytes. Source: tail(1). */
export const tail: Program = utility(
  "tail",
  "n|lines: c|bytes: f|follow:: F q|quiet|silent v|verbose z|zero-terminated s|sleep-interval: retry pid:",
  async (io) => {
    const [unit, text] = io.options.all.findLast(([name]) => name === "n" || name === "c") ?? ["n", "10"]
    const units = parseSize(text.replace(/^[-+]/, ""))
    const bytes = unit === "c"
    if (units === undefined) return io.fail(`invalid number of ${bytes ? "bytes" : "lines"}: ‘${text}’`)
    const follow = io.has("f") || io.has("F")
    const titles = io.has("v") || (io.operands.length > 1 && !io.has("q"))
    const open: Array<Input> = []
    let shown = ""
    const title = (input: Input): void => {
      if (titles) {
        const name = input.path === "-" ? "standard input" : input.path
        io.out.putText(`${shown === "" ? "" : "\n"}==> ${name} <==\n`)
      }
      shown = input.path
    }
    for (const path of io.operands.length === 0 ? ["-"] : io.operands) {
      const input = io.open(path, io.has("z") ? 0 : 10)
      if (input === undefined) continue
      title(input)
      if (text[0] === "+") await from(io, input, bytes, units)
      else {
        for (const [, last] of await keepLast(io, input, bytes, units)) {
          io.out.putBytes(last)
          if (io.out.isFull) await io.out.flush()
        }
      }
      if (follow) open.push(input)
      else input.close()
    }
    if (open.length === 0) return
    const pause = Math.max(10, Number(io.value("s") ?? "0.25") * 1000 || 250)
    const buffer = new Uint8Array(65_536)
    for (;;) {
      for (const input of open) {
        for (;;) {
          const got = await io.system.read(input.fd, buffer)
          if (got <= 0) break
          if (titles && shown !== input.path) title(input)
          io.out.putBytes(buffer, 0, got)
          await io.settle()
        }
      }
      await io.settle()
      if (open.every((input) => input.path === "-")) return
      await io.system.sleep(pause)
    }
  },
  { rewrite },
)
