/** Makes the routes of `sluice serve --files`: the files below one folder of this machine. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type FileRoutes, fileRoutes, type ShellRoutes } from "../../http/mod.ts"
import { Files } from "../../files/Files.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { make } from "../../leaves/files/LocalFileSystem.ts"
import type { FileRules } from "../filesBesideCommands.ts"
import { UsageError } from "../UsageError.ts"
import type { ServedFolder } from "./serveCommand.ts"

/** Opens a folder. Fails where there is none. */
export const openFolder = (
  { isReadOnly, path }: ServedFolder,
  rules: FileRules,
): Effect.Effect<FilesService, UsageError> =>
  Effect.mapError(
    make({ rootPath: path, ...rules, allowWrite: !isReadOnly, allowDelete: !isReadOnly }),
    ({ message }) => new UsageError(`--files: ${message.replace(/^LocalFileSystem: rootPath /, "")}`),
  )

/** Makes the routes, with the tokens of a server. */
export const serveFiles = (
  folder: ServedFolder,
  rules: FileRules,
  server: ShellRoutes,
): Effect.Effect<FileRoutes, UsageError> =>
  Effect.map(openFolder(folder, rules), (files) => fileRoutes({ context: Context.make(Files, files), server }))
