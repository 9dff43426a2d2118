/** Implements the `md5sum`, `sha1sum`, `sha256sum` and `sha512sum` utilities. */
import { md5, sha1 } from "@noble/hashes/legacy.js"
import { sha256, sha512 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { Errno } from "../../Errno.ts"
import type { Program } from "../../System.ts"
import { binaryToText } from "../../binaryString.ts"
import type { Input } from "../shared/Input.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

interface Hash {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: () => Uint8Array
}

const digest = async (io: UtilityIo, input: Input, hash: Hash): Promise<string | undefined> => {
  for await (const chunk of io.chunks(input)) hash.update(chunk)
  return input.failed ? undefined : bytesToHex(hash.digest())
}

/** Escapes a path: the mark that starts its line, and the path. */
const escapePath = (path: string): readonly [string, string] => {
  const escaped = path.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r")
  return [escaped === path ? "" : "\\", escaped]
}

const verify = async (io: UtilityIo, input: Input, title: string, length: number, make: () => Hash): Promise<void> => {
  let [wrong, failed, missing, right] = [0, 0, 0, 0]
  for (let bytes = await input.line(); bytes !== undefined; bytes = await input.line()) {
    const line = binaryToText(bytes)
    const plain = /^(\\?)([0-9a-fA-F]+) [ *](.+)$/s.exec(line)
    const tagged = plain === null ? /^([A-Za-z0-9]+) \((.+)\) = ([0-9a-fA-F]+)$/s.exec(line) : null
    const expected = (plain?.[2] ?? (tagged?.[1] === title ? tagged[3] : undefined) ?? "").toLowerCase()
    let path = plain?.[3] ?? tagged?.[2] ?? ""
    if (plain?.[1] === "\\") {
      path = path.replace(/\\([nr\\])/g, (_all, code) => code === "n" ? "\n" : code === "r" ? "\r" : "\\")
    }
    if (expected.length !== length) {
      if (io.has("w")) io.printError(`${input.path}: improperly formatted ${title} checksum line`)
      wrong++
      continue
    }
    const known = io.system.stat(path)
    if (io.has("ignore-missing") && known === -Errno.ENOENT) continue
    const before = io.exitCode
    const file = io.openInput(path)
    const sum = file === undefined ? undefined : await digest(io, file, make())
    file?.close()
    io.exitCode = before
    if (sum === undefined) {
      missing++
      if (!io.has("status")) io.print(`${path}: FAILED open or read\n`)
    } else if (sum !== expected) {
      failed++
      if (!io.has("status")) io.print(`${path}: FAILED\n`)
    } else {
      right++
      if (!io.has("status") && !io.has("q")) io.print(`${path}: OK\n`)
    }
  }
  const warnCount = (count: number, one: string, many: string): void => {
    if (count > 0 && !io.has("status")) io.printError(`WARNING: ${count} ${count === 1 ? one : many}`)
  }
  if (io.has("ignore-missing") && right + failed + missing === 0 && wrong === 0) {
    io.warn(`${input.path}: no file was verified`)
  }
  if (wrong > 0 && right + failed + missing === 0) io.warn(`${input.path}: no properly formatted checksum lines found`)
  else {
    warnCount(wrong, "line is improperly formatted", "lines are improperly formatted")
    warnCount(missing, "listed file could not be read", "listed files could not be read")
    warnCount(failed, "computed checksum did NOT match", "computed checksums did NOT match")
  }
  if (failed > 0 || missing > 0 || (io.has("strict") && wrong > 0)) io.exitCode = 1
}

export const makeChecksum = (name: string, title: string, length: number, make: () => Hash): Program =>
  defineUtility(name, "c|check b|binary t|text z|zero tag q|quiet status w|warn strict ignore-missing", async (io) => {
    for (const input of io.inputs()) {
      if (io.has("c")) {
        await verify(io, input, title, length, make)
        continue
      }
      const sum = await digest(io, input, make())
      if (sum === undefined) continue
      const [mark, path] = io.has("z") ? ["", input.path] as const : escapePath(input.path)
      const end = io.has("z") ? "\0" : "\n"
      io.print(
        io.has("tag")
          ? `${mark}${title} (${path}) = ${sum}${end}`
          : `${mark}${sum} ${io.lastOf("b", "t")?.[0] === "b" ? "*" : " "}${path}${end}`,
      )
    }
  })

/** `sha256sum [-bcz] [--tag] [FILE]...`: prints digests, or verifies them. Source: sha256sum(1). */
export const sha256sum: Program = makeChecksum("sha256sum", "SHA256", 64, () => sha256.create())

/** `sha512sum`: as `sha256sum`, with SHA-512. */
export const sha512sum: Program = makeChecksum("sha512sum", "SHA512", 128, () => sha512.create())

/** `sha1sum`: as `sha256sum`, with SHA-1. */
export const sha1sum: Program = makeChecksum("sha1sum", "SHA1", 40, () => sha1.create())

/** `md5sum`: as `sha256sum`, with MD5. */
export const md5sum: Program = makeChecksum("md5sum", "MD5", 32, () => md5.create())
