/** Routes over a file system in memory or in a folder, and requests to them. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { FileFault, LocalFileSystem, MemoryFileSystem } from "../../../src/leaves/files/mod.ts"
import { type FileRoutes, fileRoutes, type FileRoutesLimits } from "../../../src/http/mod.ts"

export const token = "a-token-for-tests"

/** A folder that is gone after the test. Not by `afterAll`: files that share a worker evaluate this module once. */
export const makeRoot = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-http-files-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export type Ask = (path: string, init?: RequestInit) => Promise<Response>

export interface Served {
  readonly routes: FileRoutes
  readonly ask: Ask
}

const served = (routes: FileRoutes): Served => {
  onTestFinished(() => routes.dispose())
  const ask: Ask = async (path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set("authorization", `Bearer ${token}`)
    return await routes.request(path, { ...init, headers })
  }
  return { routes, ask }
}

/** Routes over a folder. */
export const local = (rootPath: string = makeRoot(), limits: FileRoutesLimits = {}): Served =>
  served(fileRoutes({ layer: LocalFileSystem.layer({ rootPath }), token, ...limits }))

/** Routes over memory. */
export const memory = (limits: FileRoutesLimits = {}): Served =>
  served(fileRoutes({ layer: MemoryFileSystem.layer, token, ...limits }))

/** The fault in a problem. */
export const faultOf = async (response: Response): Promise<FileFault> => {
  if (response.headers.get("content-type") !== "application/problem+json") {
    throw new Error(`not a problem: ${response.status} ${await response.text()}`)
  }
  const problem: { status: number; fault: unknown } = await response.json()
  if (problem.status !== response.status) throw new Error("the problem says another status than the response")
  return await Effect.runPromise(Schema.decodeUnknownEffect(FileFault)(problem.fault))
}

/** The kind of a problem that is no fault. */
export const typeOf = async (response: Response): Promise<string> => {
  const { type }: { type: string } = await response.json()
  return type
}

/** A body that is sent piece by piece: each is awaited before it is sent. */
export const pieces = (...parts: ReadonlyArray<string | (() => Promise<string>)>): ReadableStream<Uint8Array> => {
  const left = [...parts]
  return new ReadableStream({
    pull: async (controller) => {
      const part = left.shift()
      if (part === undefined) return controller.close()
      controller.enqueue(new TextEncoder().encode(typeof part === "string" ? part : await part()))
    },
  }, { highWaterMark: 0 })
}

export const streamed = (body: ReadableStream<Uint8Array>): RequestInit => ({ body, ...{ duplex: "half" } })
