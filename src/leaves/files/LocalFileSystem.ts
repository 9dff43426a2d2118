/**
 * Makes the local leaf of the FileSystem branch: files below one folder of this machine, on Deno, Bun and Node.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import { OptionError, refuseUnknownOptions, requireBooleans, showValue } from "../../base/OptionError.ts"
import { readErrorCode } from "../../base/readErrorCode.ts"
import { Files } from "../../files/Files.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { Shell } from "../../shell/Shell.ts"
import { canReadProc } from "./canReadProc.ts"
import { hostBackend } from "./hostBackend.ts"
import { type Holder, makeHolder } from "./holdPath.ts"
import { leafFilesOptionNames, type LeafFilesOptions, leafFilesSettings } from "./LeafFilesOptions.ts"
import { makeFiles } from "./makeFiles.ts"
import { canonicalPaths, makeChangeCheck } from "./changeCheck.ts"
import { posixRules, windowsRules } from "./PathRules.ts"
import { makeRipgrep } from "./searchRipgrep.ts"
import { tellPathsBelowFiles } from "./tellPathsBelowFiles.ts"

/** Options of {@link layer}. */
export interface LocalFileSystemOptions extends LeafFilesOptions {
  /** The folder that `/` stands for; it must exist. */
  readonly rootPath: string
  /**
   * Whether links are followed, as long as they end below the root. Otherwise a path with a link in it is `AccessDenied`.
   * Default: `true`.
   */
  readonly followSymlinks?: boolean | undefined
  /**
   * Whether a replaced file keeps its owner, and its set-user-id and sticky bits. Its other permission bits always stay.
   * Default: `false`.
   */
  readonly preservePermissions?: boolean | undefined
  /**
   * Whether a write completes only when it is on the disk. If not, a write is still atomic for other processes, and
   * several times as fast for small files; after a power failure the file may be the old one, the new one or empty.
   * Default: `true`.
   */
  readonly flush?: boolean | undefined
  /** Files and folders below the root that may be changed, by path. Default: the root. */
  readonly writable?: ReadonlyArray<string> | undefined
  /**
   * Files and folders that may not be changed; they may be missing. The deepest entry of both lists that contains a
   * path decides. Default: none.
   */
  readonly protected?: ReadonlyArray<string> | undefined
  /**
   * Whether files that people and programs run or trust later are protected from changes, in any folder: `.git`,
   * `.env`, `.envrc`, `.vscode`, `.idea`, `.mcp.json`, `.claude`, `.codex`, `.cursor`, `.gemini`, `.husky`, keys and
   * start-up files of shells, and in the home folder `bin` and all names that start with a dot. Use it where commands
   * run on the same files. Default: `false`.
   */
  readonly protectedNames?: boolean | undefined
  /** Whether paths of more than 260 characters work on Windows. Default: `true`. */
  readonly useLongPaths?: boolean | undefined
}

const optionNames: Readonly<Record<keyof LocalFileSystemOptions, true>> = {
  ...leafFilesOptionNames,
  rootPath: true,
  followSymlinks: true,
  preservePermissions: true,
  flush: true,
  writable: true,
  protected: true,
  protectedNames: true,
  useLongPaths: true,
}

/**
 * Makes the file system below a folder of this machine.
 *
 * Paths are checked after they are opened: on Linux the handle of an opened path gives its location, and all further calls
 * go through the handle, so that a folder or a link that another process swaps meanwhile leads nowhere else. Where that is
 * impossible (macOS, Windows, Deno without all permissions), the canonical path is compared before and after.
 * `capabilities.containment` says which method applies.
 */
export const make = (options: LocalFileSystemOptions): Effect.Effect<FilesService, OptionError> =>
  Effect.map(openRoot(options), ({ files }) => files)

interface OpenRoot {
  readonly files: FilesService
  readonly root: string
  readonly holder: Holder
  readonly pid: number
}

const openRoot = (options: LocalFileSystemOptions): Effect.Effect<OpenRoot, OptionError> =>
  Effect.try({
    try: () => {
      refuseUnknownOptions("LocalFileSystem", options, optionNames)
      const { flush = true, followSymlinks = true, preservePermissions = false, protectedNames = false } = options
      const { useLongPaths = true } = options
      requireBooleans("LocalFileSystem", { flush, followSymlinks, preservePermissions, protectedNames, useLongPaths })
      const runtime = nodeBuiltins()
      if (runtime === undefined) {
        throw new OptionError(
          "rootPath",
          "LocalFileSystem: this runtime has no file system; use MemoryFileSystem or a remote one",
        )
      }
      const fs = runtime.getBuiltinModule("node:fs")
      const { pid, platform } = runtime
      const root = canonicalFolder(fs, options.rootPath)
      const rules = platform === "win32" ? windowsRules(useLongPaths) : posixRules(platform !== "darwin")
      const holder = makeHolder(fs, platform, canReadProc(fs), rules.isSame)
      const { resolve } = runtime.getBuiltinModule("node:path")
      const canonical = (path: string) => canonicalPaths(fs, rules, resolve(path))
      const whyClosed = makeChangeCheck(rules, root, canonical, runtime.getBuiltinModule("node:os").homedir(), options)
      const calls = hostBackend(fs, { root, rules, holder, followSymlinks, preservePermissions, flush, whyClosed })
      const backend = platform === "win32" ? tellPathsBelowFiles(calls) : calls
      return { files: makeFiles(backend, leafFilesSettings("LocalFileSystem", options)), root, holder, pid }
    },
    catch: (error) => {
      if (error instanceof OptionError) return error
      throw error
    },
  })

/**
 * {@link make} as a layer. Fails with an `OptionError` for an option that is unknown, or a root that is no folder.
 *
 * @example
 * ```ts
 * import { Files, LocalFileSystem } from "@sluice/shell/files"
 * import { Effect } from "effect"
 * import { mkdtemp, rm } from "node:fs/promises"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const rootPath = await mkdtemp(join(tmpdir(), "example-"))
 * const program = Files.write("notes/today.txt", "buy milk\n").pipe(Effect.andThen(Files.readText("/notes/today.txt")))
 * console.log(await Effect.runPromise(Effect.provide(program, LocalFileSystem.layer({ rootPath })))) // buy milk
 * await rm(rootPath, { recursive: true })
 * ```
 */
export const layer = (options: LocalFileSystemOptions): Layer.Layer<Files, OptionError> =>
  Layer.effect(Files, make(options))

/**
 * {@link layer}, with ripgrep for `FileSearch` if it is installed. The shell of the context starts it, if that shell is on
 * this machine. The results are the same.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { Files, FileSearch, LocalFileSystem } from "@sluice/shell/files"
 * import { Effect, Layer, Stream } from "effect"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const rootPath = mkdtempSync(join(tmpdir(), "example-"))
 * const files = LocalFileSystem.layerWithRipgrep({ rootPath }).pipe(Layer.provide(LocalShell.layer))
 * const program = Effect.gen(function* () {
 *   yield* Files.write("src/main.ts", "console.log(1)\n")
 *   return yield* FileSearch.search("console\\.").pipe(Stream.runCollect)
 * })
 * const [match] = await Effect.runPromise(Effect.provide(program, files))
 * console.log(match?._tag === "FileMatch" && match.path) // src/main.ts
 * ```
 */
export const layerWithRipgrep = (options: LocalFileSystemOptions): Layer.Layer<Files, OptionError, Shell> =>
  Layer.effect(
    Files,
    Effect.gen(function* () {
      const shell = yield* Shell
      const { files, holder, pid, root } = yield* openRoot(options)
      if (!shell.capabilities.leaf.startsWith("local/")) return files
      const ripgrep = yield* makeRipgrep(shell, files)
      const held = Effect.acquireRelease(Effect.try(() => holder.hold(root)), (held) => Effect.sync(held.release))
      return {
        ...files,
        findCandidates: (query) =>
          held.pipe(
            // The handle belongs to this process, but also works for the program that starts in the folder.
            Effect.flatMap(({ through }) => ripgrep(through.replace(/^\/proc\/self\//, `/proc/${pid}/`), query)),
            Effect.scoped,
            Effect.orElseSucceed(() => undefined),
          ),
      }
    }),
  )

const canonicalFolder = (fs: typeof import("node:fs"), rootPath: unknown): string => {
  const wrong = (what: string): never => {
    throw new OptionError(
      "rootPath",
      `LocalFileSystem: rootPath ${showValue(rootPath)} ${what}; name a folder that exists`,
    )
  }
  if (typeof rootPath !== "string" || rootPath === "") return wrong("is not a path")
  try {
    const root = fs.realpathSync.native(rootPath)
    return fs.statSync(root).isDirectory() ? root : wrong("is not a folder")
  } catch (error) {
    if (error instanceof OptionError) throw error
    return wrong(`cannot be opened (${readErrorCode(error) ?? String(error)})`)
  }
}
