/** Opens the file of an NDJSON journal as a `JournalStore`, for reading or for writing. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { JournalError } from "../../JournalError.ts"
import type { JournalStore } from "../../JournalStore.ts"
import { retryTransient } from "../../../base/retryTransient.ts"
import { headerLine } from "./fileHeader.ts"
import { type FileLock, tryLock } from "./fileLock.ts"
import { attemptFile } from "./fsError.ts"
import type { HostSystem } from "./HostSystem.ts"
import { JournalFile } from "./JournalFile.ts"
import { describeHolder } from "./fileLock.ts"
import { type NdjsonOptions, type NdjsonSettings, resolveOptions } from "./options.ts"
import { makeDirectory, removeLeftovers, resolvePath, statFile } from "./paths.ts"
import { makeReaderStore, openToRead } from "./readerStore.ts"
import { repairFile } from "./repairFile.ts"
import { replaceFile } from "./replaceFile.ts"
import { makeWriterStore } from "./writerStore.ts"

const minLockPauseMillis = 10
const maxLockPauseMillis = 200

const attempt = <A>(path: string, writes: boolean, work: () => A): Effect.Effect<A, JournalError> =>
  attemptFile({ path, what: "was not opened", writes }, work)

const missingError = (path: string): JournalError =>
  JournalError.because({ _tag: "Missing", path, code: "ENOENT" }, `journal: ${path} was not opened: it does not exist`)

const takeLock = (system: HostSystem, path: string): Effect.Effect<FileLock, JournalError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.flatMap(attempt(path, true, () => tryLock(system, `${path}.lock`)), (result) => {
      if (result.taken) return Effect.succeed(result.lock)
      const { by: holder, self } = result
      const by = holder === undefined ? "another process" : describeHolder(holder, self)
      const isElsewhere = holder !== undefined && (holder.host !== self.host || holder.namespace !== self.namespace)
      const advice = isElsewhere ? `; if that is certain to run no more, remove ${path}.lock` : ""
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
          // The lock names a process that ends soon: the next writer takes it over.
        }
      }),
  )

const waitForLock = (
  system: HostSystem,
  path: string,
  timeoutMillis: number,
): Effect.Effect<FileLock, JournalError, Scope.Scope> =>
  retryTransient(takeLock(system, path), {
    isTransient: ({ reason }) => reason._tag === "Locked",
    timeoutMillis,
    minPauseMillis: minLockPauseMillis,
    maxPauseMillis: maxLockPauseMillis,
  })

const openToWrite = (system: HostSystem, path: string): Effect.Effect<JournalFile, JournalError> =>
  Effect.gen(function* () {
    const found = yield* attempt(path, true, () => {
      removeLeftovers(system, path)
      return statFile(system, path)
    })
    const created = yield* Clock.currentTimeMillis
    const fill = (write: (bytes: Uint8Array) => void) =>
      attempt(path, true, () => write(system.encode(headerLine(created), "utf8")))
    // An empty file was created for the journal: its owner and permissions are kept.
    const descriptor = found === undefined || found.size === 0
      ? yield* replaceFile(system, path, found, fill)
      : yield* attempt(path, true, () => system.files.openSync(path, system.appendFlags))
    return yield* attempt(path, true, () => new JournalFile({ system, path, descriptor }))
  })

const openWriter = (
  system: HostSystem,
  { create, lockTimeoutMillis, onRepair, path: givenPath }: NdjsonSettings,
): Effect.Effect<JournalStore, JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const path = yield* attempt(givenPath, true, () => {
      const directory = system.path.dirname(system.path.resolve(givenPath))
      if (create) makeDirectory(system, directory)
      const resolved = resolvePath(system, givenPath)
      if (statFile(system, resolved) !== undefined || create) return resolved
      throw missingError(resolved)
    })
    yield* waitForLock(system, path, lockTimeoutMillis)
    const { report, store } = yield* Effect.acquireRelease(
      Effect.gen(function* () {
        const file = yield* openToWrite(system, path)
        const report = yield* Effect.onError(repairFile(system, file), () => Effect.sync(() => file.close()))
        return { report, ...makeWriterStore(system, file) }
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

const openReader = (
  system: HostSystem,
  { path: givenPath, pollIntervalMillis }: NdjsonSettings,
): Effect.Effect<JournalStore, JournalError, Scope.Scope> => {
  const open = attempt(givenPath, false, () => {
    const path = resolvePath(system, givenPath)
    if (statFile(system, path) === undefined) throw missingError(path)
    return makeReaderStore(system, openToRead(system, path), pollIntervalMillis)
  })
  return Effect.map(Effect.acquireRelease(open, ({ close }) => close), ({ store }) => store)
}

export const openStoreWith = (
  system: HostSystem,
  options: NdjsonOptions,
): Effect.Effect<JournalStore, JournalError, Scope.Scope> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const settings = yield* resolveOptions(options)
      // A Scope of its own: a failed open must release the lock before the caller's Scope closes.
      const scope = yield* Scope.make()
      const open = Scope.provide((settings.mode === "read" ? openReader : openWriter)(system, settings), scope)
      const store = yield* Effect.onError(restore(open), (cause) => Scope.close(scope, Exit.failCause(cause)))
      yield* Effect.addFinalizer((exit) => Scope.close(scope, exit))
      return store
    })
  )
