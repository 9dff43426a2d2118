/** Computes which files the options of an isolated leaf let commands change, for services on files. */
import * as Effect from "effect/Effect"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import type { OptionError } from "../../base/OptionError.ts"
import { IsolatedHost } from "./IsolatedHost.ts"
import { findGitFiles } from "./findGitFiles.ts"
import { findHomes } from "./findHomes.ts"
import { findProtections } from "./findProtections.ts"
import { type IsolatedShellOptions, resolveIsolatedSettings } from "./IsolatedShellOptions.ts"
import { isWithin } from "../../host/paths.ts"
import { planMounts } from "./planMounts.ts"

/**
 * Files and folders that isolated commands may change, and those in them that they may not, by absolute path.
 */
export interface IsolatedFileRules {
  readonly writable: ReadonlyArray<string>
  readonly protected: ReadonlyArray<string>
}

/**
 * The files that commands may change under these options, as options of `LocalFileSystem`, so that tools on
 * files cannot write what commands cannot (hooks of git, `.env`, start-up files of shells).
 *
 * @example
 * ```ts
 * import { LocalFileSystem } from "@sluice/shell/files"
 * import { IsolatedShell } from "@sluice/shell/isolated"
 * import { Effect } from "effect"
 *
 * const files = Effect.gen(function* () {
 *   const rules = yield* IsolatedShell.fileRules({ writable: ["/work/project"] })
 *   return yield* LocalFileSystem.make({ rootPath: "/work/project", ...rules })
 * })
 * console.log(Effect.isEffect(files)) // true
 * ```
 */
export const fileRules = (options: IsolatedShellOptions): Effect.Effect<IsolatedFileRules, OptionError> =>
  Effect.gen(function* () {
    const host = yield* IsolatedHost
    const fs = nodeBuiltins()?.getBuiltinModule("node:fs")
    if (host === undefined || fs === undefined) return { writable: [], protected: [] }
    const settings = yield* attemptOptions(() => resolveIsolatedSettings(options))
    const { mounts, writable } = yield* attemptOptions(() => planMounts(host, settings))
    const protections = yield* findProtections(host, fs, settings.protected, writable)
    const closed = [...mounts, ...protections.map(({ mount }) => mount)].filter(({ _tag, path }) =>
      (_tag === "ReadOnly" || _tag === "Hidden") && writable.some((folder) => isWithin(path, folder))
    )
    return { writable, protected: closed.map(({ path }) => path) }
  })

/**
 * Files and folders of git in and around a folder, and settings of home folders in it, that have other names than
 * protected ones: folders of hooks, files that a configuration includes, repositories that are not in `.git`. For files
 * of commands that run without isolation.
 */
export const gitFileRules = (folder: string): Effect.Effect<ReadonlyArray<string>, OptionError> =>
  Effect.gen(function* () {
    const host = yield* IsolatedHost
    const root = host?.realPath(folder)
    if (host === undefined || host.os === "windows" || root === undefined) return []
    const { folders, paths } = yield* findGitFiles(host, [root])
    const found = [...folders, ...paths.map(({ path }) => path), ...findHomes(host).map((home) => `${home}/.config`)]
    return found.filter((path) => path !== root && isWithin(path, root))
  })
