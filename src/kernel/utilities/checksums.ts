import { md5, sha1 } from "@noble/hashes/legacy.js"
import { sha256, sha512 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import type { Program } from "../System.ts"
import { binaryToText } from "../binaryString.ts"
import type { Input } from "./shared/Input.ts"
import { utility, type UtilityIo } from "./shared/utility.ts"

interface Hash {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: () => Uint8Array
}

/** The digest of a file, or `undefined` when reading failed. */
const digest = async (io: UtilityIo, input: Input, hash: Hash): Promise<string | undefined> => {
  const buffer = new Uint8Array(65_536)
  for (;;) {
    const pause = io.settle()
    if (pause !== undefined) await pause
    let got = io.system.read(input.fd, buffer)
    if (typeof got !== "number") got = await got
    if (got < 0) {
      io.warn(input.path, got)
      return undefined
    }
    if (got === 0) return bytesToHex(hash.digest())
    hash.update(buffer.subarray(0, got))
  }
}

const escape = (path: string): readonly [string, string] => {
  const escaped = path.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r")
  return [escaped === path ? "" : "\\", escaped]
}

const check = async (io: UtilityIo, input: Input, title: string, length: number, make: () => Hash): Promise<void> => {
  let [wrong, failed, missing, right] = [0, 0, 0, 0]
  for (let bytes = await input.line(); bytes !== undefined; bytes = await input.line()) {
    const line = binaryToText(bytes)
    const plain = /^(\\?)([0-9a-fA-F]+) [ *](.+)$/s.exec(line)
    const tagged = plain === null ? /^([A-Z0-9]+) \((.+)\) = ([0-9a-fA-F]+)$/s.exec(line) : null
    const expected = (plain?.[2] ?? (tagged?.[1] === title ? tagged[3] : undefined) ?? "").toLowerCase()
    let path = plain?.[3] ?? tagged?.[2] ?? ""
    if (plain?.[1] === "\\") {
      path = path.replace(/\\([nr\\])/g, (_all, code) => code === "n" ? "\n" : code === "r" ? "\r" : "\\")
    }
    if (expected.length !== length) {
      if (io.has("w")) io.say(`${input.path}: improperly formatted ${title} checksum line`)
      wrong++
      continue
    }
    const known = io.system.stat(path)
    if (io.has("ignore-missing") && known === -44) continue
    const before = io.status
    const file = io.open(path)
    const sum = file === undefined ? undefined : await digest(io, file, make())
    file?.close()
    io.status = before
    if (sum === undefined) {
      missing++
      if (!io.has("status")) io.out.putText(`${path}: FAILED open or read\n`)
    } else if (sum !== expected) {
      failed++
      if (!io.has("status")) io.out.putText(`${path}: FAILED\n`)
    } else {
      right++
      if (!io.has("status") && !io.has("q")) io.out.putText(`${path}: OK\n`)
    }
  }
  const said = (count: number, one: string, many: string): void => {
    if (count > 0 && !io.has("status")) io.say(`WARNING: ${count} ${count === 1 ? one : many}`)
  }
  if (io.has("ignore-missing") && right + failed + missing === 0 && wrong === 0) {
    io.warn(`${input.path}: no file was verified`)
  }
  if (wrong > 0 && right + failed + missing === 0) io.warn(`${input.path}: no properly formatted checksum lines found`)
  else {
    said(wrong, "line is improperly formatted", "lines are improperly formatted")
    said(missing, "listed file could not be read", "listed files could not be read")
    said(failed, "computed checksum did NOT match", "computed checksums did NOT match")
  }
  if (failed > 0 || missing > 0 || (io.has("strict") && wrong > 0)) io.status = 1
}

const program = (name: string, title: string, length: number, make: () => Hash): Program =>
  utility(name, "c|check b|binary t|text z|zero tag q|quiet status w|warn strict ignore-missing", async (io) => {
    for (const input of io.inputs()) {
      if (io.has("c")) {
        await check(io, input, title, length, make)
        continue
      }
      const sum = await digest(io, input, make())
      if (sum === undefined) continue
      const [mark, path] = io.has("z") ? ["", input.path] as const : escape(input.path)
      const end = io.has("z") ? "\0" : "\n"
      io.out.putText(
        io.has("tag")
          ? `${mark}${title} (${path}) = ${sum}${end}`
          : `${mark}${sum} ${io.has("b") ? "*" : " "}${path}${end}`,
      )
    }
  })

/** `sha256sum [-bcz] [--tag] [FILE]...`: digests, or checks them. Source: sha256sum(1). */
export const sha256sum: Program = program("sha256sum", "SHA256", 64, () => sha256.create())

/** As `sha256sum`, with SHA-512. */
export const sha512sum: Program = program("sha512sum", "SHA512", 128, () => sha512.create())

/** As `sha256sum`, with SHA-1. */
export const sha1sum: Program = program("sha1sum", "SHA1", 40, () => sha1.create())

/** As `sha256sum`, with MD5. */
export const md5sum: Program = program("md5sum", "MD5", 32, () => md5.create())
