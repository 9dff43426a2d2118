/** Parses the options that `head` and `tail` share, and finds the first and the last lines or bytes of a file. */
import { countByte } from "./countByte.ts"
import { type Input, LineBytes, maxHeldBytes } from "./Input.ts"
import { parseSize } from "./quantities.ts"
import type { UtilityIo } from "./defineUtility.ts"

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
export const keepLast = async (
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
    // Copied, because a view of a small read would keep the whole buffer in memory.
    const chunk = count > buffer.length / 2 ? buffer.subarray(0, count) : buffer.slice(0, count)
    const found = bytes ? count : countByte(chunk, input.terminator)
    kept.push([chunk, found])
    size += count
    held += found
    // Bytes are dropped as they arrive; lines are held whole.
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

export const putAll = async (io: UtilityIo, chunks: ReadonlyArray<Uint8Array>): Promise<void> => {
  for (const chunk of chunks) {
    io.out.putBytes(chunk)
    if (io.out.isFull) await io.out.flush()
  }
}

export const writeAllButLast = async (io: UtilityIo, input: Input, bytes: boolean, units: number): Promise<void> => {
  const kept = await keepLast(io, input, bytes, units, (chunk) => io.out.putBytes(chunk))
  await putAll(io, kept.map(([before]) => before))
}
