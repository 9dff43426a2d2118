/**
 * A store of entries in one file of JSON lines.
 *
 * The first line says that it is a journal; each further one is an entry, and only ever added. What stands beside the
 * body comes first, so that a position is found without reading bodies, by halves. `"more":true` marks the rows of a
 * transaction but its last: what a crash left of one is not shown, and is cut by the next writer.
 *
 * The file holds no index. Offsets of some entries (`OffsetIndex`) are kept in memory, at most 4,096, so that a position
 * is found without reading the whole file.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { millisOf } from "../../../base/duration.ts"
import { JournalError } from "../../JournalError.ts"
import type { JournalStore } from "../../JournalStore.ts"
import { makeDirectory, removeLeftovers, resolvePath } from "./paths.ts"
import { headerLine } from "./fileHeader.ts"
import { type FileLock, tryLock } from "./fileLock.ts"
import { fsError } from "./fsError.ts"
import { describeHolder } from "./LockHolder.ts"
import type { NdjsonOptions } from "./options.ts"
import { makeReaderStore, openToRead } from "./readerStore.ts"
import { repairFile } from "./repairFile.ts"
import { replaceFile } from "./replaceFile.ts"
import { JournalFile } from "./JournalFile.ts"
import { statFile } from "./statFile.ts"
import type { HostSystem } from "./HostSystem.ts"
import { makeWriterStore } from "./writerStore.ts"

/** How long until a lock that another holds is tried again: at first, and at most. */
const firstPause = 10
const longestPause = 200

const attempt = <A>(path: string, writes: boolean, work: () => A): Effect.Effect<A, JournalError> =>
  Effect.try({ try: work, catch: (error) => fsError(error, { path, what: "was not opened", writes }) })

const takeLock = (system: HostSystem, path: string): Effect.Effect<FileLock, JournalError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.flatMap(attempt(path, true, () => tryLock(system, `${path}.lock`)), (tried) => {
      if (tried.taken) return Effect.succeed(tried.lock)
      const by = tried.by === undefined ? "another process" : describeHolder(tried.by, tried.self)
      const elsewhere = tried.by !== undefined &&
        (tried.by.host !== tried.self.host || tried.by.namespace !== tried.self.namespace)
      const advice = elsewhere ? `; if that is certain to run no more, remove ${path}.lock` : ""
      return Effect.fail(JournalError.because(
        { _tag: "Locked", by },
        `journal: ${path} was not opened: ${by} writes it${advice}`,
      ))
    }),
    (lock) =>
      Effect.sync(() => {
        try {
          lock.release()
        } catch {
          // It names a process that is gone soon: the next writer takes it over.
        }
      }),
  )

const waitForLock = (
  system: HostSystem,
  path: string,
  until: number,
  pause: number,
): Effect.Effect<FileLock, JournalError, Scope.Scope> =>
  Effect.catchIf(
    takeLock(system, path),
    (error) => error.reason._tag === "Locked",
    (error) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (now >= until) return Effect.fail(error)
        const next = waitForLock(system, path, until, Math.min(longestPause, 2 * pause))
        return Effect.andThen(Effect.sleep(Math.min(pause, until - now)), next)
      }),
  )

const openToWrite = (system: HostSystem, path: string): Effect.Effect<JournalFile, JournalError> =>
  Effect.gen(function* () {
    const found = yield* attempt(path, true, () => {
      removeLeftovers(system, path)
      return statFile(system, path)
    })
    const created = yield* Clock.currentTimeMillis
    const fill = (write: (bytes: Uint8Array) => void) =>
      attempt(path, true, () => write(system.encode(headerLine(created), "utf8")))
    // An empty file is one that somebody made for us, with the permissions that it shall have.
    const descriptor = found === undefined || found.size === 0
      ? yield* replaceFile(system, path, found, fill)
      : yield* attempt(path, true, () => system.files.openSync(path, system.appendFlags))
    return yield* attempt(path, true, () => new JournalFile({ system, path, descriptor }))
  })

const openWriter = (
  system: HostSystem,
  options: NdjsonOptions,
): Effect.Effect<JournalStore, JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const { create = true, lockTimeout = 0, onRepair } = options
    const path = yield* attempt(options.path, true, () => {
      const directory = system.path.dirname(system.path.resolve(options.path))
      if (create) makeDirectory(system, directory)
      const real = resolvePath(system, options.path)
      if (statFile(system, real) !== undefined || create) return real
      throw missing(real)
    })
    const now = yield* Clock.currentTimeMillis
    yield* waitForLock(system, path, now + millisOf("lockTimeout", lockTimeout), firstPause)
    const { report, store } = yield* Effect.acquireRelease(
      Effect.gen(function* () {
        const segment = yield* openToWrite(system, path)
        const report = yield* Effect.onError(repairFile(system, segment), () => Effect.sync(() => segment.close()))
        return { report, ...makeWriterStore(system, segment) }
      }),
      ({ close }) => close,
    )
    if (report !== undefined) {
      yield* Effect.logWarning(
        `journal: ${path} did not end with a whole transaction: ${report.bytes} bytes were cut where entry ` +
          `${report.position} would stand, and are kept in ${report.kept}`,
      )
      onRepair?.(report)
    }
    return store
  })

const missing = (path: string): JournalError =>
  JournalError.because({ _tag: "Missing", path, code: "ENOENT" }, `journal: ${path} was not opened: it is not there`)

const openReader = (
  system: HostSystem,
  options: NdjsonOptions,
): Effect.Effect<JournalStore, JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const pollMillis = millisOf("pollInterval", options.pollInterval ?? 20)
    const open = attempt(options.path, false, () => {
      const path = resolvePath(system, options.path)
      if (statFile(system, path) === undefined) throw missing(path)
      return makeReaderStore(system, openToRead(system, path), Math.max(1, pollMillis))
    })
    return (yield* Effect.acquireRelease(open, ({ close }) => close)).store
  })

/** Opens a journal in a file of some system; it is closed with the Scope. */
export const openStoreWith = (
  system: HostSystem,
  options: NdjsonOptions,
): Effect.Effect<JournalStore, JournalError, Scope.Scope> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      // A scope of its own: what could not be opened holds no lock until the end of the caller's.
      const scope = yield* Scope.make()
      const open = Scope.provide((options.mode === "read" ? openReader : openWriter)(system, options), scope)
      const store = yield* Effect.onError(restore(open), (cause) => Scope.close(scope, Exit.failCause(cause)))
      yield* Effect.addFinalizer((exit) => Scope.close(scope, exit))
      return store
    })
  )
