/**
 * The store of a process that reads a file which another may write.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { JournalError } from "../../JournalError.ts"
import type { JournalStore } from "../../JournalStore.ts"
import { fsError } from "./fsError.ts"
import { scanFile } from "./scan.ts"
import { JournalFile } from "./JournalFile.ts"
import type { HostSystem } from "./HostSystem.ts"
import { watchFile } from "./watchFile.ts"
import type { OpenStore } from "./writerStore.ts"

/** How often it is looked at anew when it became shorter under the look. */
const maxRounds = 10

/** Opens a file for reading. Throws what the file system throws. */
export const openToRead = (system: HostSystem, path: string): JournalFile => {
  const segment = new JournalFile({ system, path, descriptor: system.files.openSync(path, "r") })
  try {
    segment.advance(segment.findEnd(segment.size()))
  } catch (error) {
    segment.close()
    throw error
  }
  return segment
}

/** Makes the store of a file that is open for reading. */
export const makeReaderStore = (system: HostSystem, segment: JournalFile, pollMillis: number): OpenStore => {
  const { path } = segment
  let current = segment
  let closed = false

  /** The file as it is now: one that was put in its place, and what was added to it. */
  const lookOnce = (): JournalFile => {
    const found = system.files.statSync(path)
    const { end, identity } = current
    // It is shorter when the disk did not confirm what was there, and the writer took it back.
    const other = found.ino !== identity.ino || found.dev !== identity.dev || found.size < end
    // What was taken back may also have been written anew, and more, before somebody looked.
    if (other || ((current.hasChangedInPlace(found) || found.size > end) && !current.isHeadInPlace())) {
      const next = openToRead(system, path)
      current.close()
      current = next
    } else if (found.size > end) {
      current.advance(current.findEnd(found.size))
    }
    return current
  }

  const look = (): JournalFile => {
    if (closed) throw JournalError.because({ _tag: "Closed" }, `journal: ${path} was not read: it is closed`)
    for (let round = 1;; round++) {
      try {
        return lookOnce()
      } catch (error) {
        // A write that a full disk cut short is taken back, maybe while it is looked at.
        const shrunk = error instanceof JournalError && error.reason._tag === "Unavailable"
        if (!shrunk || round === maxRounds) throw error
      }
    }
  }

  const attempt = <A>(work: (segment: JournalFile) => A): Effect.Effect<A, JournalError> =>
    Effect.suspend(() => {
      try {
        return Effect.succeed(work(look()))
      } catch (error) {
        return Effect.fail(fsError(error, { path, what: "was not read", writes: false }))
      }
    })

  const store: JournalStore = {
    name: "ndjson",
    location: path,
    durabilities: ["memory", "os", "disk"],
    synchronous: true,
    head: attempt(({ head }) => head),
    size: attempt(({ end, first, head }) => ({
      entries: first === 0 ? 0 : head.position - first + 1,
      bytes: end,
      first,
    })),
    scan: (scan) => Effect.flatMap(attempt((segment) => segment), (file) => scanFile(file, scan, [])),
    transact: () =>
      Effect.fail(JournalError.because(
        { _tag: "ReadOnly" },
        `journal: ${path} was not written: it was opened for reading`,
      )),
    watch: (wake) => watchFile(system, path, pollMillis, wake),
  }

  const close = Effect.sync(() => {
    closed = true
    current.close()
  })

  return { store, close }
}
