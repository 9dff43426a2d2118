/**
 * Computes which files tools may change directly: only files that isolated commands may change, and none that git would
 * run.
 */
import * as Effect from "effect/Effect"
import * as Context from "effect/Context"
import { type LocalFileSystemOptions, make } from "../leaves/files/LocalFileSystem.ts"
import type { IsolationRequest } from "./isolationFlags.ts"
import type { OutputWriter } from "./ProcessOutput.ts"
import { UsageError } from "./UsageError.ts"
import { tryMessage } from "./writeMessage.ts"
import { type FileRoutes, fileRoutes, type ShellRoutes } from "../http/mod.ts"
import { Files } from "../files/Files.ts"
import type { FilesService } from "../files/FilesService.ts"
import type { ServedFolder } from "./serve/serveSpec.ts"

/** Options of a local file system that limit which files may be changed. */
export type FileRules = Pick<LocalFileSystemOptions, "protected" | "protectedNames" | "writable">

const withoutWalls = (folder: string, output: OutputWriter): Effect.Effect<FileRules> =>
  Effect.promise(() => import("../leaves/isolated/fileRules.ts")).pipe(
    Effect.flatMap(({ gitFileRules }) => gitFileRules(folder)),
    Effect.catch(({ message }) => {
      const why = message.replace(/^IsolatedShell: /, "")
      return Effect.as(tryMessage(output, `file tools may change files outside .git that git runs: ${why}`), [])
    }),
    Effect.map((found) => ({ protected: found, protectedNames: true })),
  )

export const filesBesideCommands = (
  folder: string,
  isolation: IsolationRequest | undefined,
  output: OutputWriter,
): Effect.Effect<FileRules, UsageError> =>
  isolation === undefined ? withoutWalls(folder, output) : Effect.flatMap(
    // Loaded here: few runs have walls.
    Effect.promise(() => import("./makeIsolated.ts")),
    ({ isolatedFileRules }) =>
      Effect.map(isolatedFileRules(isolation), (rules) => ({ ...rules, protectedNames: true })),
  )

export const openFolder = (
  { isReadOnly, path }: ServedFolder,
  rules: FileRules,
): Effect.Effect<FilesService, UsageError> =>
  Effect.mapError(
    make({ rootPath: path, ...rules, allowWrite: !isReadOnly, allowDelete: !isReadOnly }),
    ({ message }) => new UsageError(`--files: ${message.replace(/^LocalFileSystem: rootPath /, "")}`),
  )

export const serveFiles = (
  folder: ServedFolder,
  rules: FileRules,
  server: ShellRoutes,
): Effect.Effect<FileRoutes, UsageError> =>
  Effect.map(openFolder(folder, rules), (files) => fileRoutes({ context: Context.make(Files, files), server }))
