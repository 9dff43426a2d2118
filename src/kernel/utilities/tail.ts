/** Implements the `tail` utility, and the parts that `head` shares with it. */
import type { Program } from "../System.ts"
import { countByte } from "./shared/countByte.ts"
import { type Input, LineBytes, maxHeldBytes } from "./shared/Input.ts"
import { parseSize } from "./shared/quantities.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"

/** Rewrites `-5` and `+5` to `-n`, with `c` and `f` after them to `-c` and `-f`. */
const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const old = /^([-+])([0-9]+)(c|l)?(f)?$/.exec(args[0] ?? "")
  if (old === null) return args
  const [, sign, count = "", unit, follow] = old
  const value = `${sign === "+" ? "+" : ""}${count}`
  return [...(follow === undefined ? [] : ["-f"]), unit === "c" ? "-c" : "-n", value, ...args.slice(1)]
}

/** Skips up to a number of bytes or lines: the index after them, and how many of them the chunk ends or contains. */
export const skipUnits = (
  chunk: Uint8Array,
  units: number,
  bytes: boolean,
  terminator: number,
): readonly [index: number, skipped: number] => {
  if (bytes) return [Math.min(units, chunk.length), Math.min(units, chunk.length)]
  let index = 0
  for (let skipped = 0; skipped < units; skipped++) {
    const found = chunk.indexOf(terminator, index)
    if (found < 0) return [chunk.length, skipped]
    index = found + 1
  }
  return [index, units]
}

/** The offset, from the first chunk, at which the last bytes or lines of all chunks start. */
const findLastUnits = (
  chunks: ReadonlyArray<Uint8Array>,
  size: number,
  units: number,
  bytes: boolean,
  terminator: number,
): number => {
  if (bytes) return Math.max(0, size - units)
  if (units === 0) return size
  let end = size
  let left = units
  for (const chunk of chunks.toReversed()) {
    const start = end - chunk.length
    // The terminator of the last line starts no other line.
    let at = end === size && chunk.at(-1) === terminator ? chunk.length - 1 : chunk.length
    while (at > 0) {
      at = chunk.lastIndexOf(terminator, at - 1)
      if (at >= 0 && --left === 0) return start + at + 1
    }
    end = start
  }
  return 0
}

/**
 * Reads to the end and keeps the last bytes or lines; earlier chunks go to `drop`, which `head -n -N` writes. Returns the kept
 * chunks, each split where the last units start.
 */
const keepLast = async (
  io: UtilityIo,
  input: Input,
  bytes: boolean,
  units: number,
  drop: (chunk: Uint8Array) => void = () => {},
): Promise<ReadonlyArray<readonly [before: Uint8Array, last: Uint8Array]>> => {
  const kept: Array<readonly [chunk: Uint8Array, units: number]> = []
  const line = new LineBytes(io, input.path)
  let lineBytes = 0
  let size = 0
  let held = 0
  for (;;) {
    const buffer = new Uint8Array(size > 1 << 20 ? 262_144 : 65_536)
    const count = await io.read(input, buffer)
    if (count === 0) break
    // A view of a small read would keep the whole buffer in memory.
    const chunk = count > buffer.length / 2 ? buffer.subarray(0, count) : buffer.slice(0, count)
    const found = bytes ? count : countByte(chunk, input.terminator)
    kept.push([chunk, found])
    size += count
    held += found
    // Bytes are dropped as they come; lines are held whole.
    if (!bytes) {
      lineBytes = found === 0 ? lineBytes + count : count - 1 - chunk.lastIndexOf(input.terminator)
      line.set(lineBytes)
    }
    for (let [first] = kept; kept.length > 1 && first !== undefined && held - first[1] > units; [first] = kept) {
      kept.shift()
      size -= first[0].length
      held -= first[1]
      drop(first[0])
    }
    if (size > maxHeldBytes) io.fail(`${input.path}: more than ${maxHeldBytes} bytes would have to be held`)
    if (io.out.isFull) await io.out.flush()
  }
  line.set(0)
  const chunks = kept.map(([chunk]) => chunk)
  let skip = findLastUnits(chunks, size, units, bytes, input.terminator)
  return chunks.map((chunk) => {
    const cut = Math.min(skip, chunk.length)
    skip -= cut
    return [chunk.subarray(0, cut), chunk.subarray(cut)] as const
  })
}

/** Parses `-n` and `-c`, and whether the files have titles. */
export const parseAmount = (
  io: UtilityIo,
): { readonly bytes: boolean; readonly sign: string | undefined; readonly titled: boolean; readonly units: number } => {
  const [unit, text] = io.lastOf("n", "c") ?? ["n", "10"]
  const bytes = unit === "c"
  const units = parseSize(text.replace(/^[-+]/, "")) ??
    io.fail(`invalid number of ${bytes ? "bytes" : "lines"}: ‘${text}’`)
  return { bytes, sign: text[0], titled: io.has("v") || (io.operands.length > 1 && !io.has("q")), units }
}

/** Prints the title of a file, as `head` and `tail` do if there are several. */
export const printTitle = (io: UtilityIo, input: Input, isFirst: boolean): void =>
  io.print(`${isFirst ? "" : "\n"}==> ${input.path === "-" ? "standard input" : input.path} <==\n`)

const putAll = async (io: UtilityIo, chunks: ReadonlyArray<Uint8Array>): Promise<void> => {
  for (const chunk of chunks) {
    io.out.putBytes(chunk)
    if (io.out.isFull) await io.out.flush()
  }
}

export const writeAllButLast = async (io: UtilityIo, input: Input, bytes: boolean, units: number): Promise<void> => {
  const kept = await keepLast(io, input, bytes, units, (chunk) => io.out.putBytes(chunk))
  await putAll(io, kept.map(([before]) => before))
}

/** Writes a file from a line or byte on, counted from 1. */
const writeFrom = async (io: UtilityIo, input: Input, bytes: boolean, first: number): Promise<void> => {
  let skip = Math.max(0, first - 1)
  for await (const chunk of io.chunks(input)) {
    const [from, skipped] = skipUnits(chunk, skip, bytes, input.terminator)
    skip -= skipped
    io.out.putBytes(chunk, from)
  }
}

/**
 * `tail [-n [+]N] [-c [+]N] [-fFqvz] [-s SECONDS] [FILE]...`: prints the last lines or bytes. Source: tail(1).
 */
export const tail: Program = defineUtility(
  "tail",
  "n|lines: c|bytes: f|follow:: F q|quiet|silent v|verbose z|zero-terminated s|sleep-interval:",
  async (io) => {
    const { bytes, sign, titled, units } = parseAmount(io)
    const open: Array<Input> = []
    let shown = ""
    const title = (input: Input): void => {
      if (titled) printTitle(io, input, shown === "")
      shown = input.path
    }
    for (const path of io.operandsOr("-")) {
      const input = io.openInput(path, io.terminator())
      if (input === undefined) continue
      title(input)
      if (sign === "+") await writeFrom(io, input, bytes, units)
      else await putAll(io, (await keepLast(io, input, bytes, units)).map(([, last]) => last))
      if (io.has("f") || io.has("F")) open.push(input)
      else input.close()
    }
    if (open.length === 0) return
    const intervalMillis = Math.max(10, Number(io.value("s") ?? "0.25") * 1000 || 250)
    const buffer = new Uint8Array(65_536)
    for (;;) {
      for (const input of open) {
        for (let got = await io.system.read(input.fd, buffer); got > 0; got = await io.system.read(input.fd, buffer)) {
          if (titled && shown !== input.path) title(input)
          io.out.putBytes(buffer, 0, got)
          await io.flushAndYield()
        }
      }
      await io.flushAndYield()
      if (open.every((input) => input.path === "-")) return
      await io.system.sleep(intervalMillis)
    }
  },
  { rewriteArgs },
)
