/** Cuts an incomplete transaction off the end of a journal file when it is opened for writing. */
import * as Clock from "effect/Clock"
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { readErrorCode } from "../../../base/readErrorCode.ts"
import type { JournalError } from "../../JournalError.ts"
import type { Block } from "./BlockReader.ts"
import { attemptFile } from "./fsError.ts"
import type { HostSystem } from "./HostSystem.ts"
import type { JournalFile } from "./JournalFile.ts"
import type { NdjsonRepairReport } from "./options.ts"

const isWhole = ({ bytes }: Block, from: number, to: number): boolean => {
  try {
    const line: unknown = JSON.parse(bytes.toString("utf8", from, to))
    return Predicate.hasProperty(line, "hash") && Predicate.isString(line.hash) && /^[0-9a-f]{64}$/.test(line.hash)
  } catch {
    return false
  }
}

const blockBytes = 1024 * 1024

const copyToNewFile = ({ files }: HostSystem, file: JournalFile, from: number, to: number, name: string): string => {
  for (let count = 0;; count++) {
    const path = count === 0 ? name : `${name}-${count}`
    let descriptor: number
    try {
      descriptor = files.openSync(path, "wx", 0o600)
    } catch (error) {
      if (readErrorCode(error) === "EEXIST") continue
      throw error
    }
    try {
      for (let at = from; at < to; at += blockBytes) {
        const length = Math.min(to - at, blockBytes)
        const { bytes } = file.read(at, at + length)
        for (let done = 0; done < length;) done += files.writeSync(descriptor, bytes, done, length - done, null)
      }
      files.fsyncSync(descriptor)
      return path
    } finally {
      files.closeSync(descriptor)
    }
  }
}

const timestamp = (millis: number): string => new Date(millis).toISOString().replaceAll(/[-:.]/g, "")

/** Finds the end of the last complete transaction and cuts the bytes after it; `undefined` when there are none. */
export const repairFile = (
  system: HostSystem,
  file: JournalFile,
): Effect.Effect<NdjsonRepairReport | undefined, JournalError> =>
  Clock.clockWith((clock) =>
    attemptFile({ path: file.path, what: "was not repaired" }, () => {
      const size = file.size()
      const end = file.findEnd(size, isWhole)
      file.advance(end)
      const bytes = size - end.offset
      if (bytes === 0) return undefined
      const name = `${file.path}.torn-${timestamp(clock.currentTimeMillisUnsafe())}`
      const kept = copyToNewFile(system, file, end.offset, size, name)
      system.files.ftruncateSync(file.descriptor, end.offset)
      system.files.fsyncSync(file.descriptor)
      return { position: end.head.position + 1, bytes, kept }
    })
  )
