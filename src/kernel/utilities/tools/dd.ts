/** Implements the `dd` utility. */
import type { Program } from "../../System.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

const maxBlockBytes = 64 * 1024 * 1024
const units: Readonly<Record<string, number>> = {
  c: 1,
  w: 2,
  b: 512,
  kB: 1000,
  K: 1024,
  MB: 1000 ** 2,
  M: 1024 ** 2,
  xM: 1024 ** 2,
  GB: 1000 ** 3,
  G: 1024 ** 3,
}
// `fsync` and `fdatasync` have nothing to do: no disk is behind a file.
const conversions = ["notrunc", "fsync", "fdatasync", "lcase", "ucase", "sync", "noerror", "excl", "nocreat", "swab"]
const names = ["bs", "ibs", "obs", "count", "skip", "seek", "if", "of", "conv", "status", "iflag", "oflag"]

const parseNumber = (io: UtilityIo, text: string): number => {
  let product = 1
  for (const part of text.split("x")) {
    const match = /^([0-9]+)(c|w|b|kB|KiB|K|k|MB|MiB|M|GB|GiB|G)?$/.exec(part)
    if (match === null) return io.fail(`invalid number: ‘${text}’`)
    product *= Number(match[1]) * (units[(match[2] ?? "c").replace("iB", "").replace(/^k$/, "K")] ?? 1)
  }
  return product
}

/** `dd [if=FILE] [of=FILE] [bs=BYTES] [count=N] [skip=N] [seek=N] [conv=LIST] [status=none]`: copies blocks. Source: dd(1). */
export const dd: Program = defineUtility("dd", "=", async (io) => {
  const values = new Map<string, string>()
  for (const operand of io.operands) {
    const [, name = "", value = ""] = /^([a-z]+)=(.*)$/s.exec(operand) ?? []
    if (!names.includes(name)) io.failUsage(`unrecognized operand ‘${operand}’`)
    values.set(name, value)
  }
  const number = (name: string, otherwise: number): number => {
    const text = values.get(name)
    return text === undefined ? otherwise : parseNumber(io, text)
  }
  const list = (name: string, known: ReadonlyArray<string>): ReadonlySet<string> => {
    const given = (values.get(name) ?? "").split(",").filter((word) => word !== "")
    const wrong = given.find((word) => !known.includes(word))
    if (wrong !== undefined) io.failUsage(`invalid ${name === "conv" ? "conversion" : `${name}`}: ‘${wrong}’`)
    return new Set(given)
  }
  const conv = list("conv", conversions)
  const iflag = list("iflag", ["fullblock", "count_bytes", "skip_bytes"])
  const oflag = list("oflag", ["append", "seek_bytes"])
  const status = values.get("status") ?? "noxfer-rate"
  if (values.has("status") && !["none", "noxfer", "progress"].includes(status)) {
    io.failUsage(`invalid status level: ‘${status}’`)
  }
  if (status === "progress") io.fail("status=progress is not supported")
  const inBytes = number("bs", number("ibs", 512))
  const outBytes = number("bs", number("obs", 512))
  for (const bytes of [inBytes, outBytes]) if (bytes < 1 || bytes > maxBlockBytes) io.fail(`invalid number: ‘${bytes}’`)
  const copy = new Copy(io, { conv, fullBlocks: iflag.has("fullblock"), inBytes, outBytes, direct: values.has("bs") })
  const inPath = values.get("if")
  const input = inPath === undefined ? 0 : io.system.open(inPath, { read: true })
  if (input < 0) io.fail(`failed to open '${inPath}'`, input)
  const output = openOutput(io, values.get("of"), conv, oflag)
  const seek = number("seek", 0) * (oflag.has("seek_bytes") ? 1 : outBytes)
  if (values.has("of") && !conv.has("notrunc") && !oflag.has("append")) io.system.truncate(output, seek)
  if (seek > 0 && io.system.seek(output, seek, oflag.has("append") ? 1 : 0) < 0) io.fail("cannot seek")
  const skip = number("skip", 0) * (iflag.has("skip_bytes") ? 1 : inBytes)
  await copy.skip(input, skip)
  const count = number("count", Infinity)
  const failed = await copy.run(
    input,
    output,
    iflag.has("count_bytes") ? { bytes: count, blocks: Infinity } : { blocks: count, bytes: Infinity },
  )
  if (status !== "none") copy.report(status === "noxfer")
  return failed ? 1 : 0
})

const openOutput = (
  io: UtilityIo,
  path: string | undefined,
  conv: ReadonlySet<string>,
  oflag: ReadonlySet<string>,
): number => {
  if (path === undefined) return 1
  const options = {
    create: !conv.has("nocreat"),
    exclusive: conv.has("excl"),
    flags: oflag.has("append") ? 1 : 0,
    write: true,
  }
  const fd = io.system.open(path, options)
  return fd < 0 ? io.fail(`failed to open '${path}'`, fd) : fd
}

interface CopySettings {
  readonly conv: ReadonlySet<string>
  readonly inBytes: number
  readonly outBytes: number
  readonly fullBlocks: boolean
  /** With `bs` each block is written as it was read. */
  readonly direct: boolean
}

class Copy {
  readonly #io: UtilityIo
  readonly #settings: CopySettings
  readonly #in = { whole: 0, partial: 0 }
  readonly #out = { whole: 0, partial: 0 }
  #bytes = 0

  constructor(io: UtilityIo, settings: CopySettings) {
    this.#io = io
    this.#settings = settings
  }

  async #read(fd: number, into: Uint8Array, isFull: boolean): Promise<number> {
    let total = 0
    for (;;) {
      await this.#io.flushAndYield()
      const count = await this.#io.system.read(fd, into.subarray(total))
      if (count < 0) return total > 0 ? total : count
      total += count
      if (count === 0 || !isFull || total === into.length) return total
    }
  }

  async skip(fd: number, bytes: number): Promise<void> {
    const { system } = this.#io
    const at = bytes > 0 ? system.seek(fd, bytes, 1) : 0
    if (bytes === 0 || at > 0) return
    const buffer = new Uint8Array(65_536)
    for (let left = bytes; left > 0;) {
      const count = await this.#read(fd, buffer.subarray(0, left), false)
      if (count <= 0) return
      left -= count
    }
  }

  async #write(fd: number, bytes: Uint8Array): Promise<void> {
    const written = await this.#io.system.writeAll(fd, bytes)
    if (written < 0) this.#io.fail("error writing", written)
    this.#out[bytes.length === this.#settings.outBytes ? "whole" : "partial"]++
    this.#bytes += bytes.length
  }

  #convert(block: Uint8Array): Uint8Array {
    const { conv } = this.#settings
    const isCased = conv.has("ucase") || conv.has("lcase")
    const [low, change] = conv.has("ucase") ? [97, -32] : [65, 32]
    if (isCased) {
      for (let at = 0; at < block.length; at++) {
        const byte = block[at] ?? 0
        if (byte >= low && byte < low + 26) block[at] = byte + change
      }
    }
    if (conv.has("swab")) {
      for (let at = 0; at + 1 < block.length; at += 2) block.set([block[at + 1] ?? 0, block[at] ?? 0], at)
    }
    return block
  }

  /** Copies. Returns whether reading failed. */
  async run(
    input: number,
    output: number,
    limit: { readonly blocks: number; readonly bytes: number },
  ): Promise<boolean> {
    const { conv, direct, fullBlocks, inBytes, outBytes } = this.#settings
    const block = new Uint8Array(inBytes)
    const held = new Uint8Array(direct ? 0 : outBytes)
    let used = 0
    let left = limit.bytes
    let failed = false
    for (let count = 0; count < limit.blocks && left > 0; count++) {
      const got = await this.#read(input, block.subarray(0, left), fullBlocks)
      if (got < 0) {
        this.#io.warn("error reading", got)
        failed = true
        break
      }
      if (got === 0) break
      left -= got
      this.#in[got === inBytes ? "whole" : "partial"]++
      if (conv.has("sync")) block.fill(0, got)
      const piece = this.#convert(block.subarray(0, conv.has("sync") ? inBytes : got))
      if (direct) await this.#write(output, piece)
      else {
        for (let at = 0; at < piece.length;) {
          const part = piece.subarray(at, at + outBytes - used)
          held.set(part, used)
          used += part.length
          at += part.length
          if (used < outBytes) continue
          await this.#write(output, held)
          used = 0
        }
      }
    }
    if (used > 0) await this.#write(output, held.subarray(0, used))
    return failed
  }

  report(isShort: boolean): void {
    const { err } = this.#io
    err.putText(
      `${this.#in.whole}+${this.#in.partial} records in\n${this.#out.whole}+${this.#out.partial} records out\n`,
    )
    if (!isShort) err.putText(`${this.#bytes} byte${this.#bytes === 1 ? "" : "s"} copied\n`)
  }
}
