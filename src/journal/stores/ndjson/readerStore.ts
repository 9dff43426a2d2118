/** Makes the read-only `JournalStore` of a journal file. */
import * as Effect from "effect/Effect"
import { JournalError } from "../../JournalError.ts"
import type { JournalStore } from "../../JournalStore.ts"
import { attemptFile } from "./fsError.ts"
import type { HostSystem } from "./HostSystem.ts"
import { isSameFile, JournalFile } from "./JournalFile.ts"
import { scanFile } from "./scanFile.ts"
import { watchFile } from "./watchFile.ts"
import type { OpenStore } from "./writerStore.ts"

/** Maximum number of attempts when the file becomes shorter while it is examined. */
const maxAttempts = 10

export const openToRead = (system: HostSystem, path: string): JournalFile => {
  const file = new JournalFile({ system, path, descriptor: system.files.openSync(path, "r") })
  try {
    file.advance(file.findEnd(file.size()))
  } catch (error) {
    file.close()
    throw error
  }
  return file
}

export const makeReaderStore = (system: HostSystem, file: JournalFile, pollMillis: number): OpenStore => {
  const { path } = file
  let current = file
  let isClosed = false

  /** Brings `current` up to date: the file may have been replaced, cut, or appended to. */
  const refreshOnce = (): JournalFile => {
    const found = system.files.statSync(path)
    const { end, identity } = current
    // The file is shorter when the disk did not confirm the last entries and the writer removed them.
    const isOther = !isSameFile(found, identity) || found.size < end
    // New entries may have replaced the removed ones.
    if (isOther || ((current.hasChangedInPlace(found) || found.size > end) && !current.isHeadInPlace())) {
      const next = openToRead(system, path)
      current.close()
      current = next
    } else if (found.size > end) {
      current.advance(current.findEnd(found.size))
    }
    return current
  }

  const refresh = (): JournalFile => {
    if (isClosed) throw JournalError.because({ _tag: "Closed" }, `journal: ${path} was not read: it is closed`)
    for (let attempts = 1;; attempts++) {
      try {
        return refreshOnce()
      } catch (error) {
        // The writer undoes a write that a full disk cut short, possibly at this moment.
        const hasShrunk = error instanceof JournalError && error.reason._tag === "Unavailable"
        if (!hasShrunk || attempts === maxAttempts) throw error
      }
    }
  }

  const withFile = <A>(work: (file: JournalFile) => A): Effect.Effect<A, JournalError> =>
    attemptFile({ path, what: "was not read", writes: false }, () => work(refresh()))

  const store: JournalStore = {
    name: "ndjson",
    location: path,
    durabilities: ["memory", "os", "disk"],
    synchronous: true,
    head: withFile(({ head }) => head),
    size: withFile((file) => file.storeSize),
    scan: (scan) => Effect.flatMap(withFile((file) => file), (file) => scanFile(file, scan, [])),
    transact: () =>
      Effect.fail(JournalError.because(
        { _tag: "ReadOnly" },
        `journal: ${path} was not written: it was opened for reading`,
      )),
    watch: (wake) => watchFile(system, path, pollMillis, wake),
  }

  const close = Effect.sync(() => {
    isClosed = true
    current.close()
  })

  return { store, close }
}
