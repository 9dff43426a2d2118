/** Files of a folder of this machine through the program that serves a container's files, with a shell of this machine. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { containerBackend } from "../../src/leaves/container/containerBackend.ts"
import { FileServers } from "../../src/leaves/container/FileServers.ts"
import { fileServerScript } from "../../src/leaves/container/fileServerScript.ts"
import { startClient } from "../../src/leaves/container/runEngine.ts"
import { BackendError } from "../../src/leaves/files/FileBackend.ts"
import { leafFilesSettings } from "../../src/leaves/files/LeafFilesOptions.ts"
import { makeFiles } from "../../src/leaves/files/makeFiles.ts"
import { Files } from "../../src/leaves/files/mod.ts"
import { findHost } from "../../src/host/findHost.ts"

/** Servers with a shell, such as `["busybox", "sh"]`. */
export const localFileServers = ([program = "sh", ...args]: ReadonlyArray<string>): FileServers =>
  new FileServers({
    start: () => {
      const host = findHost()
      return host === undefined
        ? Promise.reject(new Error("no process can be started here"))
        : startClient(host, program, [...args, "-c", fileServerScript])
    },
    wasLost: () => Promise.resolve(false),
    explainError: (error) => Effect.succeed(new BackendError("EENGINE", String(error))),
    explainEnd: (exitCode, text) => Effect.succeed(new BackendError("EENGINE", `${exitCode} ${text}`)),
  })

/** The files below a folder. */
export const filesOfServers = (servers: FileServers, rootPath: string, followSymlinks = true): Layer.Layer<Files> =>
  Layer.succeed(
    Files,
    makeFiles(
      containerBackend(servers, { leaf: "test", rootPath, followSymlinks, flush: false }),
      leafFilesSettings("test", {}),
    ),
  )
