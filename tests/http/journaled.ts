/** The routes on a real server of this runtime, with the real local leaf and a client of them. */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { CommandId } from "../../src/command/CommandId.ts"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { type ShellRoutes, shellRoutes, type ShellRoutesOptions } from "../../src/http/mod.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import type { Shell } from "../../src/shell/Shell.ts"
import type { OptionError } from "../../src/base/OptionError.ts"
import type { ShellFault } from "../../src/command/ShellFault.ts"
import { RemoteClient, type RemoteError } from "../../src/client/Client.ts"
import { serve, type Served } from "./serve.ts"
import { token } from "./support.ts"

/** Done after the test, the last one first. Not by `afterEach`: files that share a worker evaluate this module once. */
export const later = (cleanup: () => Promise<unknown>): void => onTestFinished(async () => void (await cleanup()))

export interface Fixture {
  readonly url: string
  readonly server: Served
  readonly routes: ShellRoutes
  readonly client: RemoteClient.RemoteClient
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>
}

type Options =
  & Omit<ShellRoutesOptions, "layer" | "runtime" | "context" | "token" | "tokens" | "unauthenticated">
  & { readonly layer?: Layer.Layer<Shell, OptionError> }

export const start = async (options: Options = {}, given?: string): Promise<Fixture> => {
  const routes = shellRoutes({ layer: LocalShell.layer, token, ...options })
  later(() => routes.dispose())
  const server = await serve(routes.fetch)
  later(() => server.stop())
  const url = given ?? `http://127.0.0.1:${server.port}`
  return {
    url,
    server,
    routes,
    client: Effect.runSync(RemoteClient.make({ url, token })),
    ask: (path, init = {}) =>
      fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } }),
  }
}

/** A directory that is gone after the test. */
export const directory = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), "sluice-http-"))
  later(() => rm(path, { recursive: true, force: true }))
  return path
}

export const sh = (script: string, commandId?: CommandId, workingDirectory?: string): ShellExec =>
  ShellExec.make("sh", ["-c", script], { commandId, cwd: workingDirectory, grace: "500 millis" })

export const run = <A>(effect: Effect.Effect<A, RemoteError | ShellFault>): Promise<A> => Effect.runPromise(effect)

export const all = <A>(stream: Stream.Stream<A, RemoteError | ShellFault>): Promise<ReadonlyArray<A>> =>
  Effect.runPromise(Stream.runCollect(stream))

export const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** Waits until something holds. A test that waits for ever fails by its own time limit. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await pause(10)
}

/** A script that waits until it is let go, and what lets it. */
export const gate = async (): Promise<{ readonly wait: string; readonly open: () => Promise<void> }> => {
  const path = join(await directory(), "go")
  return { wait: `until [ -e '${path}' ]; do sleep 0.02; done`, open: () => writeFile(path, "") }
}

/** Waits until a command has ended, and tells how. */
export const ended = async ({ client }: Pick<Fixture, "client">, id: CommandId) => {
  await until(async () => (await run(client.command(id))).ended !== undefined)
  return await run(client.command(id))
}

export const size = (path: string): Promise<number> => stat(path).then((info) => info.size, () => -1)
