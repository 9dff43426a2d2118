/**
 * Sends a file up to a server of its own process and takes it down again; prints by how many bytes its memory grew. A process of
 * its own, since test files on Bun are threads of one.
 *
 * largeFile.fixture.ts ROOT BYTES
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { statSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { listen } from "../../../src/cli/listen.ts"
import { fileRoutes } from "../../../src/http/mod.ts"
import { Files, LocalFileSystem } from "../../../src/leaves/files/mod.ts"
import { RemoteFileSystem } from "../../../src/leaves/remote/mod.ts"

const [rootPath = "", bytes = "0"] = process.argv.slice(2)
const size = Number(bytes)
const token = "t0ken"
const piece = new Uint8Array(65_536).fill(7)

const routes = fileRoutes({ layer: LocalFileSystem.layer({ rootPath }), token })
const server = await listen({ host: "127.0.0.1", port: 0 }, async (request, env) => await routes.fetch(request, env))

const before = process.memoryUsage().rss
let peak = before
const look = Effect.sync(() => {
  peak = Math.max(peak, process.memoryUsage().rss)
})

const program = Effect.gen(function* () {
  const up = Stream.tap(Stream.take(Stream.forever(Stream.succeed(piece)), size / piece.length), () => look)
  const { bytesWritten } = yield* Files.write("large", up)
  let count = 0
  yield* Stream.runForEach(Files.stream("large"), (part) => {
    count += part.length
    return look
  })
  return { written: bytesWritten, stored: statSync(join(rootPath, "large")).size, read: count, grown: peak - before }
})
const files = RemoteFileSystem.layer({ url: `http://127.0.0.1:${server.port}/`, token })
const answer = await Effect.runPromise(Effect.provide(program, files))
process.stdout.write(`${JSON.stringify(answer)}\n`)
await routes.dispose()
await server.closeNow()
