/** Implements the file operations and snapshots of a sandbox for the host. */
import * as Effect from "effect/Effect"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { concatBytes } from "../../base/bytes.ts"
import { kindOf, type OptionError, requireCount } from "../../base/OptionError.ts"
import { Errno, errnoName, errnoText } from "../Errno.ts"
import type { FileSystem } from "../FileSystem.ts"
import { freezeWithTurns } from "../changes/freezeInSteps.ts"
import { withTurns } from "../changes/Turns.ts"
import { makeFolders, readFile, writeFile } from "../fs/files.ts"
import { loadFiles } from "../fs/loadFiles.ts"
import { readSnapshotSteps, restoreContent, restoreContentSteps } from "../fs/restore.ts"
import { snapshotParts } from "../fs/snapshot.ts"
import { makeSnapshotError, shellKey } from "../fs/snapshotFormat.ts"
import type { VirtualFileSystem } from "../fs/VirtualFileSystem.ts"
import type { Directory } from "../OpenFile.ts"
import type { ShellSession } from "../shell/ShellSession.ts"
import { type DirectoryEntry, FileType, type Stat } from "../Stat.ts"
import { SandboxError } from "./SandboxError.ts"

const loadStoredShell = Effect.promise(() => import("../shell/storedShell.ts"))

/** Options of writing a file. */
export interface WriteFileOptions {
  /** Permission bits. Default: those of the file; `0o644` for a new one. */
  readonly mode?: number | undefined
}

/** Options of reading a file. */
export interface ReadFileOptions {
  /**
   * Maximum bytes to read. A longer file fails with `EFBIG`, since a script can link to a device that never ends.
   * Default: 268,435,456.
   */
  readonly maxBytes?: number | undefined
}

/** Options of removing. */
export interface RemoveOptions {
  /** Remove a folder with everything in it. Default: `false`. */
  readonly recursive?: boolean | undefined
}

export const fileFailed = (operation: string, path: string, errno: number): SandboxError => {
  const code = errnoName(errno)
  const what = `cannot ${operation} ${path}: ${errnoText(errno)}`
  return SandboxError.because({ _tag: "FileFailed", operation, path, code }, what, code)
}

export const toAbsolutePath = (cwd: string, path: string): string => path.startsWith("/") ? path : `${cwd}/${path}`

/** Writes a whole file and its mode; missing folders on the way are made. Returns 0 or an errno. */
export const writeWhole = (
  files: VirtualFileSystem,
  path: string,
  content: string | Uint8Array,
  mode: number | undefined,
): number => {
  const written = writeFile(files, path, content, mode)
  return written < 0 || mode === undefined ? written : files.setMode(files.root, path, mode)
}

/** A folder that is being removed: its remaining names, and its own folder and name. */
interface FolderRemoval {
  readonly folder: Directory
  readonly names: Array<string>
  readonly at: Directory
  readonly path: string
}

const openForRemoval = (files: FileSystem, at: Directory, path: string, { mode }: Stat): FolderRemoval | number => {
  if ((mode & 0o700) !== 0o700) files.setMode(at, path, mode | 0o700)
  const folder = files.directory(at, path, { follow: false })
  if (typeof folder === "number") return folder
  const entries = files.list(folder)
  return typeof entries === "number" ? entries : { folder, names: entries.map(({ name }) => name), at, path }
}

/**
 * Removes a file, a link or a folder; returns 0 or an errno. Iterative: a script can nest folders deeper than the call stack.
 */
export const removeAll = (files: FileSystem, start: Directory, startPath: string, recursive: boolean): number => {
  const open: Array<FolderRemoval> = []
  let [at, path] = [start, startPath]
  for (;;) {
    const stat = files.stat(at, path, { follow: false })
    if (typeof stat === "number") return stat
    if (stat.type === FileType.directory && recursive) {
      const inner = openForRemoval(files, at, path, stat)
      if (typeof inner === "number") return inner
      open.push(inner)
    } else {
      const removed = stat.type === FileType.directory ? files.removeDirectory(at, path) : files.unlink(at, path)
      if (removed < 0) return removed
    }
    let name: string | undefined
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      name = last.names.pop()
      at = last.folder
      if (name !== undefined) break
      open.pop()
      const removed = files.removeDirectory(last.at, last.path)
      if (removed < 0) return removed
    }
    if (name === undefined) return 0
    path = name
  }
}

/** File operations of a sandbox. A relative path starts at the current working directory. */
export abstract class SandboxFiles {
  /** The file system: its calls are synchronous and return errnos. */
  readonly fileSystem: VirtualFileSystem

  constructor(fileSystem: VirtualFileSystem) {
    this.fileSystem = fileSystem
  }

  /** The working directory, as the last run left it. */
  abstract readonly cwd: Effect.Effect<string>
  /** The shell whose state snapshots hold. */
  protected abstract readonly shell: ShellSession

  /** Writes a file, text as UTF-8. Missing folders on the way are made. Fails with `FileFailed`. */
  readonly writeFile = (
    path: string,
    content: string | Uint8Array,
    { mode }: WriteFileOptions = {},
  ): Effect.Effect<void, SandboxError> =>
    this.#do("write", path, (at) => writeWhole(this.fileSystem, at, content, mode))

  /** Reads the bytes of a file. Fails with `FileFailed`, and with an `OptionError` if `maxBytes` is not a whole number. */
  readonly readFile = (
    path: string,
    { maxBytes = 268_435_456 }: ReadFileOptions = {},
  ): Effect.Effect<Uint8Array, SandboxError | OptionError> =>
    Effect.flatMap(
      attemptOptions(() => requireCount("sandbox.readFile", "maxBytes", maxBytes, { min: 0 })),
      (max) =>
        Effect.andThen(
          this.#load(path),
          this.#get("read", path, (at) => readFile(this.fileSystem, at, max)),
        ),
    )

  /** Reads a file as text, decoded as UTF-8. */
  readonly readText = (
    path: string,
    options: ReadFileOptions = {},
  ): Effect.Effect<string, SandboxError | OptionError> =>
    Effect.map(this.readFile(path, options), (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes))

  /** Lists a folder by name. Default: the working directory. */
  readonly list = (path = "."): Effect.Effect<ReadonlyArray<DirectoryEntry>, SandboxError> =>
    this.#get("list", path, (at) => {
      const folder = this.fileSystem.directory(this.fileSystem.root, at)
      return typeof folder === "number" ? folder : this.fileSystem.list(folder)
    })

  /** Returns the type, size, mode and times of a file; a symbolic link is followed. */
  readonly stat = (path: string): Effect.Effect<Stat, SandboxError> =>
    this.#get("look at", path, (at) => this.fileSystem.stat(this.fileSystem.root, at))

  /** Makes a folder, and missing folders on the way. */
  readonly makeFolder = (path: string): Effect.Effect<void, SandboxError> =>
    this.#do("make", path, (at) => makeFolders(this.fileSystem, at))

  /** Removes a file, a link, an empty folder, or with `recursive` a folder with everything in it. */
  readonly remove = (path: string, { recursive = false }: RemoveOptions = {}): Effect.Effect<void, SandboxError> =>
    this.#do("remove", path, (at) => removeAll(this.fileSystem, this.fileSystem.root, at, recursive))

  /**
   * Returns the files in memory (of an overlay: the changes) as a tar archive, with the state of the shell as the last run left it:
   * variables, functions, aliases, options, traps, working directory and umask. Jobs and host folders are not in it. The content of
   * lazy files is loaded for it. Fails with `SnapshotFailed`.
   *
   * @example
   * ```ts
   * import { Sandbox } from "@sluice/shell/sandbox"
   * import { Effect } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   const sandbox = yield* Sandbox.make({ files: { "notes.txt": "keep me\n" } })
   *   const before = yield* sandbox.snapshot
   *   yield* sandbox.run("rm notes.txt; echo oops > mess.txt")
   *   yield* sandbox.restore(before)
   *   return yield* sandbox.run("cat *")
   * })
   * const { stdout } = await Effect.runPromise(Effect.scoped(program))
   * console.log(stdout) // keep me
   * ```
   */
  readonly snapshot: Effect.Effect<Uint8Array, SandboxError> = Effect.flatMap(
    Effect.all([loadStoredShell, Effect.promise(() => loadFiles(this.fileSystem))]),
    ([{ storeShell }, failed]) =>
      withTurns(
        async (turns) => {
          if (failed !== undefined) throw makeSnapshotError("loading", failed.path, failed.errno)
          const held = await freezeWithTurns(this.fileSystem, turns)
          const { saved } = this.shell
          const state = saved === undefined ? "" : storeShell(saved)
          // The current files and shell state: later changes are not visible in the fork.
          const frozen = this.fileSystem.fork()
          void held.length
          const parts: Array<Uint8Array> = []
          for (const part of snapshotParts(frozen, state)) {
            parts.push(part)
            const turn = turns.pause()
            if (turn !== undefined) await turn
          }
          return concatBytes(parts)
        },
        (cause) => snapshotFailed("taken", cause),
      ),
  )

  /**
   * Replaces the files in memory and the state of the shell with those of a snapshot of this sandbox, or of one with the same mounts. A
   * running script sees the change of the files, and its own state of the shell replaces the restored one at its end. Fails with
   * `SnapshotFailed`; nothing has changed then.
   */
  readonly restore = (archive: Uint8Array): Effect.Effect<void, SandboxError> =>
    Effect.flatMap(loadStoredShell, ({ loadShell }) =>
      withTurns(
        async (turns) => {
          if (!(archive instanceof Uint8Array)) throw new Error(`pass the bytes of a snapshot, got ${kindOf(archive)}`)
          const content = await turns.run(readSnapshotSteps(archive))
          const text = content.records.get(shellKey)
          const saved = text === undefined || text === ""
            ? undefined
            : await turns.run(loadShell(text, this.shell.limits))
          // First in a fork: what cannot be unpacked, or does not fit, fails before anything has changed.
          const held = await freezeWithTurns(this.fileSystem, turns)
          await turns.run(restoreContentSteps(this.fileSystem.fork(), content))
          void held.length
          turns.check()
          restoreContent(this.fileSystem, content)
          // Snapshots of earlier versions have no shell state.
          if (text !== undefined) this.shell.load(saved)
        },
        (cause) => snapshotFailed("restored", cause),
      ))

  /** Loads the content of a file, if it is lazy and was not read before. */
  #load(path: string): Effect.Effect<void, SandboxError> {
    return Effect.gen({ self: this }, function* () {
      const cwd = yield* this.cwd
      const loading = path === "" ? 0 : this.fileSystem.load(this.fileSystem.root, toAbsolutePath(cwd, path))
      const loaded = typeof loading === "number" ? loading : yield* Effect.promise(() => loading)
      if (loaded < 0) return yield* Effect.fail(fileFailed("read", path, loaded))
    })
  }

  #get<A extends object>(
    operation: string,
    path: string,
    work: (at: string) => A | number,
  ): Effect.Effect<A, SandboxError> {
    return Effect.flatMap(this.cwd, (cwd) => {
      const done = path === "" ? -Errno.ENOENT : work(toAbsolutePath(cwd, path))
      return typeof done === "number" ? Effect.fail(fileFailed(operation, path, done)) : Effect.succeed(done)
    })
  }

  #do(operation: string, path: string, work: (at: string) => number): Effect.Effect<void, SandboxError> {
    const done = {}
    return Effect.asVoid(this.#get(operation, path, (at) => {
      const answer = work(at)
      return answer < 0 ? answer : done
    }))
  }
}

export const snapshotFailed = (done: string, cause: unknown): SandboxError => {
  const why = cause instanceof Error ? cause.message.replace(/^snapshot: /, "") : String(cause)
  return SandboxError.because({ _tag: "SnapshotFailed" }, `the snapshot could not be ${done}: ${why}`, "ESNAPSHOT")
}
