/**
 * Makes the leaf of the FileSystem branch over the files of a server, by SFTP.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { quote } from "../../base/quote.ts"
import { assumeValidOptions, attemptOptions } from "../../base/attemptOptions.ts"
import { OptionError, pickOptions, refuseUnknownOptions, requireBooleans, showValue } from "../../base/OptionError.ts"
import { requireBuiltins } from "../../base/requireBuiltins.ts"
import { Files } from "../../files/Files.ts"
import type { FilesService } from "../../files/FilesService.ts"
import {
  leafFilesOptionNames,
  type LeafFilesOptions,
  type LeafFilesSettings,
  leafFilesSettings,
} from "../files/LeafFilesOptions.ts"
import { makeFiles } from "../files/makeFiles.ts"
import { sftpBackend } from "./sftpBackend.ts"
import { SftpSession } from "./SftpSession.ts"
import { makeConnection, type SshConnection, type SshTransport, transportOf } from "./SshConnection.ts"
import { connectionOptionNames, type SshConnectionOptions } from "./SshConnectionOptions.ts"
import { SshError } from "./SshError.ts"

/** Options of the files beside those of the connection. */
export interface SftpLeafOptions extends LeafFilesOptions {
  /** The folder of the server that `/` stands for; a relative one is below the home directory. Default: the home directory. */
  readonly rootPath?: string | undefined
  /** Whether links are followed, within the root. Default: `true`. */
  readonly followSymlinks?: boolean | undefined
  /**
   * Whether a write waits until it is on the server's disk (`fsync@openssh.com`), if the server supports this. Default:
   * `true`.
   */
  readonly flush?: boolean | undefined
  /**
   * Whether a file may be replaced in two steps on a server that cannot do it in one (`posix-rename@openssh.com`, which
   * OpenSSH has): the old file is removed first, and for a moment no file exists. Default: `false`: such a write fails.
   */
  readonly replaceInSteps?: boolean | undefined
}

/** Options of the files of a server with a connection of their own. */
export interface SftpFileSystemOptions extends SftpLeafOptions, SshConnectionOptions {}

const leafNames: Readonly<Record<keyof SftpLeafOptions, true>> = {
  ...leafFilesOptionNames,
  rootPath: true,
  followSymlinks: true,
  flush: true,
  replaceInSteps: true,
}

interface Settings {
  readonly files: LeafFilesSettings
  readonly rootPath: string
  readonly followSymlinks: boolean
  readonly flush: boolean
  readonly replaceInSteps: boolean
}

const resolve = (options: SftpLeafOptions): Settings => {
  refuseUnknownOptions("SftpFileSystem", options, leafNames)
  const { flush = true, followSymlinks = true, replaceInSteps = false, rootPath = "." } = options
  if (typeof rootPath !== "string" || rootPath === "" || rootPath.includes("\0")) {
    throw new OptionError("rootPath", `SftpFileSystem: rootPath ${showValue(rootPath)} is not a path`)
  }
  return {
    files: leafFilesSettings("SftpFileSystem", options),
    rootPath,
    ...requireBooleans("SftpFileSystem", { followSymlinks, flush, replaceInSteps }),
  }
}

const overConnection = (
  connection: SshTransport,
  { files, rootPath, ...settings }: Settings,
): Effect.Effect<FilesService, SshError | OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const buffers = requireBuiltins("SftpFileSystem", "sockets").getBuiltinModule("node:buffer")
    const { server } = connection
    const session = yield* Effect.acquireRelease(
      Effect.sync(() => new SftpSession(connection)),
      ({ close }) => close,
    )
    yield* session.open
    const root = yield* session.ask<string>((sftp, done) => sftp.realpath(rootPath, done)).pipe(
      Effect.tap((path) =>
        Effect.flatMap(
          session.ask<boolean>((sftp, done) =>
            sftp.stat(path, (error, stats) => done(error, stats?.isDirectory() === true))
          ),
          (isFolder) => isFolder ? Effect.void : Effect.fail({ code: "ENOTDIR" }),
        )
      ),
      Effect.mapError(({ code }) =>
        new SshError({
          reason: { _tag: "RootFailed", server, path: rootPath },
          message: `ssh: rootPath ${quote(rootPath)} is not a folder of ${server} that can be opened (${code})`,
        })
      ),
    )
    return makeFiles(sftpBackend(session, { ...settings, root, Buffer: buffers.Buffer }), files)
  })

const makeOver = (
  options: SftpLeafOptions,
): Effect.Effect<FilesService, SshError | OptionError, SshConnection | Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* attemptOptions(() => resolve(options))
    return yield* overConnection(yield* transportOf, settings)
  })

/**
 * Makes the files of a server with a connection of their own, which is open when the Effect succeeds and closes with
 * the scope.
 *
 * @example
 * ```ts
 * import { SftpFileSystem } from "@sluice/shell/ssh"
 * import { Effect } from "effect"
 *
 * const files = SftpFileSystem.make({ host: "build.example", user: "me", auth: { agent: true }, rootPath: "/srv/app" })
 * console.log(Effect.isEffect(files)) // true
 * ```
 */
export const make = (
  options: SftpFileSystemOptions,
): Effect.Effect<FilesService, SshError | OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* attemptOptions(() => {
      refuseUnknownOptions("SftpFileSystem", options, { ...leafNames, ...connectionOptionNames })
      return resolve(pickOptions<SftpLeafOptions>(options, leafNames))
    })
    const connection = pickOptions<SshConnectionOptions>(options, connectionOptionNames)
    return yield* overConnection(yield* makeConnection("SftpFileSystem", connection), settings)
  })

/**
 * The files of a server below one folder, over SFTP.
 *
 * - A file is written under a temporary name next to its path and moved there in one step; other readers see the old
 *   file or the new one.
 * - A read or a write whose connection is lost resumes where it stopped, if the file is still the same. An append fails
 *   instead.
 * - No path leads out of the root, even by links, unless another process swaps a folder during a call and swaps it back
 *   (`containment: "verify"`).
 * - Names that are not UTF-8 have no path, and are not listed.
 *
 * @example
 * ```ts
 * import { Files } from "@sluice/shell/files"
 * import { SftpFileSystem } from "@sluice/shell/ssh"
 * import { Effect } from "effect"
 *
 * const files = SftpFileSystem.layer({
 *   host: "build.example",
 *   user: "me",
 *   auth: { agent: true },
 *   rootPath: "/srv/app",
 * })
 * const config = Files.readText("config.json").pipe(Effect.provide(files))
 * console.log(Effect.isEffect(config)) // true
 * ```
 */
export const layer = (options: SftpFileSystemOptions): Layer.Layer<Files, SshError | OptionError> =>
  Layer.effect(Files, make(options))

/**
 * The files of a server over a connection that they share with others: see {@link SshConnection}.
 *
 * @example
 * ```ts
 * import { SftpFileSystem, SshConnection } from "@sluice/shell/ssh"
 * import { Layer } from "effect"
 *
 * const connection = SshConnection.layer({ host: "build.example", user: "me", auth: { agent: true } })
 * const files = SftpFileSystem.layerOverWith({ rootPath: "/srv/app" }).pipe(Layer.provide(connection))
 * console.log(Layer.isLayer(files)) // true
 * ```
 */
export const layerOverWith = (
  options: SftpLeafOptions,
): Layer.Layer<Files, SshError | OptionError, SshConnection> => Layer.effect(Files, makeOver(options))

/**
 * {@link layerOverWith} without options.
 *
 * @example
 * ```ts
 * import { SftpFileSystem } from "@sluice/shell/ssh"
 * import { Layer } from "effect"
 *
 * console.log(Layer.isLayer(SftpFileSystem.layerOver)) // true
 * ```
 */
export const layerOver: Layer.Layer<Files, SshError, SshConnection> =
  /* @__PURE__ */ (() => Layer.effect(Files, assumeValidOptions(makeOver({}))))()
