/**
 * Cuts off what a crash left at the end of a file: a line that is not whole, and the lines of its transaction before it.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { JournalError } from "../../JournalError.ts"
import type { Block } from "./BlockReader.ts"
import type { TransactionEnd } from "./findLastTransaction.ts"
import { codeOf, fsError } from "./fsError.ts"
import type { NdjsonRepairReport } from "./options.ts"
import type { JournalFile } from "./JournalFile.ts"
import type { HostSystem } from "./HostSystem.ts"

/** Whether the last line of a file is one that the store may have written. */
const isWhole = ({ bytes }: Block, from: number, to: number): boolean => {
  try {
    const line: unknown = JSON.parse(bytes.toString("utf8", from, to))
    return Predicate.hasProperty(line, "hash") && Predicate.isString(line.hash) && /^[0-9a-f]{64}$/.test(line.hash)
  } catch {
    return false
  }
}

const blockBytes = 1024 * 1024

/** Copies the end of a file to one of its own, that the disk has confirmed. */
const keep = ({ files }: HostSystem, segment: JournalFile, from: number, to: number, name: string): string => {
  for (let count = 0;; count++) {
    const path = count === 0 ? name : `${name}-${count}`
    let descriptor: number
    try {
      descriptor = files.openSync(path, "wx", 0o600)
    } catch (error) {
      if (codeOf(error) === "EEXIST") continue
      throw error
    }
    try {
      for (let at = from; at < to; at += blockBytes) {
        const { bytes } = segment.read(at, Math.min(to, at + blockBytes))
        const length = Math.min(to - at, blockBytes)
        for (let done = 0; done < length;) done += files.writeSync(descriptor, bytes, done, length - done, null)
      }
      files.fsyncSync(descriptor)
      return path
    } finally {
      files.closeSync(descriptor)
    }
  }
}

const stamp = (millis: number): string => new Date(millis).toISOString().replaceAll(/[-:.]/g, "")

/** Finds where a file ends, and cuts what comes after; what was cut is kept beside it. */
export const repairFile = (
  system: HostSystem,
  segment: JournalFile,
): Effect.Effect<NdjsonRepairReport | undefined, JournalError> =>
  Clock.clockWith((clock) =>
    Effect.try({
      try: () => {
        const size = segment.size()
        const end: TransactionEnd = segment.findEnd(size, isWhole)
        segment.advance(end)
        const bytes = size - end.offset
        if (bytes === 0) return undefined
        const name = `${segment.path}.torn-${stamp(clock.currentTimeMillisUnsafe())}`
        const kept = keep(system, segment, end.offset, size, name)
        system.files.ftruncateSync(segment.descriptor, end.offset)
        system.files.fsyncSync(segment.descriptor)
        return { position: end.head.position + 1, bytes, kept }
      },
      catch: (error) => fsError(error, { path: segment.path, what: "was not repaired" }),
    })
  )
