/** Lines of a command here, and from a server. */
import * as Effect from "effect/Effect"
import { LocalShell } from "../../mod.ts"
import { RemoteShell } from "../../src/leaves/remote/mod.ts"
import { millionsPerSecond, readLines } from "../journal/runs.ts"
import type { MeasureCase, Values } from "../rows/Row.ts"
import { lineLength } from "../tools/Tool.ts"
import { token, withServer } from "./withServer.ts"

/** The bytes of the writer through the runtime's own server, spawn and fetch. */
const bareBytes = (writer: string, bytes: number): Promise<Values> =>
  withServer(
    ["floor", writer],
    ({ url }) =>
      millionsPerSecond(bytes, async (amount) => {
        const { body } = await fetch(`${url}?bytes=${amount}`)
        let seen = 0
        if (body !== null) {
          for await (const piece of body) seen += piece.length
        }
        return seen
      }),
  )

/** Millions of lines of 60 bytes a second: `raw` is the local leaf, `bare` the runtime's own server. */
export const remoteLines: MeasureCase = (id, job) => {
  const { lineBytes } = job.sizes
  if (id === "bare") return bareBytes(job.writer(lineLength).file, lineBytes)
  const read = readLines(job)
  const local = LocalShell.layer
  if (id === "raw") {
    return millionsPerSecond(
      lineBytes,
      (bytes) => Effect.runPromise(Effect.provide(read(bytes), local)),
    )
  }
  return withServer(["sluice", job.nothing.file], ({ url }) => {
    const remote = RemoteShell.layer({ url, token })
    return millionsPerSecond(
      lineBytes,
      (bytes) => Effect.runPromise(Effect.provide(read(bytes), remote)),
    )
  })
}
