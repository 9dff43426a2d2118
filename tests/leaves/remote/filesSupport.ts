/** Servers of files on a socket of this runtime, and clients of them. */
import { fileRoutes, type FileRoutesLimits } from "@sluice/shell/http"
import { RemoteFileSystem } from "@sluice/shell/remote"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { OptionError } from "../../../src/base/OptionError.ts"
import { type Files, LocalFileSystem } from "../../../src/leaves/files/mod.ts"
import { serve } from "../../http/serve.ts"
import { type Intercept, Proxy } from "../../support/proxy.ts"

export const token = "t0ken"

const released = <A>(acquire: () => Promise<A>, release: (a: A) => unknown): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(acquire), (a) => Effect.promise(async () => await release(a)))

export interface FileServer {
  readonly url: string
  /** Without what may be between. */
  readonly direct: string
  readonly root: string
  readonly cut: () => void
}

/** A server of a folder of its own, behind something that can cut connections. */
export const fileServer = (
  { intercept, layer, ...limits }: FileRoutesLimits & {
    readonly intercept?: Intercept
    readonly layer?: Layer.Layer<Files>
  } = {},
): Effect.Effect<FileServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const root = yield* released(
      () => Promise.resolve(mkdtempSync(join(tmpdir(), "sluice-remote-files-"))),
      (folder) => rmSync(folder, { recursive: true, force: true }),
    )
    const routes = yield* released(
      () =>
        Promise.resolve(fileRoutes({ layer: layer ?? LocalFileSystem.layer({ rootPath: root }), token, ...limits })),
      (all) => all.dispose(),
    )
    const server = yield* released(() => serve(routes.fetch), (one) => one.stop())
    const proxy = yield* released(() => Proxy.make(server.port, intercept), (one) => one.close())
    const [url = "", direct = ""] = [proxy.port, server.port].map((port) => `http://127.0.0.1:${port}/`)
    return { url, direct, root, cut: () => proxy.cut() }
  })

/** The files of a server. */
export const filesOf = (
  url: string,
  options: Partial<RemoteFileSystem.RemoteFileSystemOptions> = {},
): Layer.Layer<Files, OptionError> => RemoteFileSystem.layer({ url, token, ...options })
