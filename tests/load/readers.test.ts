import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { ShellExec } from "../../src/command/ShellExec.ts"
import * as Sse from "../../src/wire/sse.ts"
import { RemoteClient } from "../../src/client/Client.ts"
import { workshop } from "../support/workshop.ts"
import { cleanedUp, crowd, warmedUp } from "./clients.ts"
import { isLong, onLinux, testMillis, token, until } from "./scale.ts"
import { startServer } from "./server.ts"

/** Bytes of each line that the commands write, and bytes in all: what `many` read, and what is much to read. */
const lineBytes = 100
const manyBytes = isLong ? 4_000_000 : 1_000_000
const longBytes = isLong ? 80_000_000 : 24_000_000
/** So many bytes the slowest reader has read, one a second, before it hurries. */
const slowSeconds = isLong ? 180 : 5

/**
 * What may be reachable while slow readers lag: each of the four of `long` has more than 50 MB before it. What is read of
 * the journal at once is at most 1 MiB. Measured were some 10 MB on each runtime, and 83 to 88 MB with a body that does
 * not wait for its reader (the rest was then with the system).
 */
const mostKept = 40_000_000

/** Connections that the client of this process may keep for its next requests. */
const ownConnections = 2

const linesOf = (bytes: number): string =>
  Array.from({ length: bytes / lineBytes }, (_, index) => String(index + 1).padStart(lineBytes - 1, "0") + "\n").join(
    "",
  )

it.live.skipIf(!onLinux)(
  "gives five hundred readers of one command the same, even if some vanish or read one byte a second",
  () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      const server = yield* startServer(path("runs.db"))
      const client = yield* RemoteClient.make({ url: server.url, token })
      const before = yield* warmedUp(server)
      const writing = (commandId: string, bytes: number) => {
        const script = `until [ -e '${path("go")}' ]; do sleep 0.02; done; seq -f '%0${lineBytes - 1}.0f' $0`
        const lines = String(bytes / lineBytes)
        return client.detach(ShellExec.make("sh", ["-c", script, lines], { commandId, grace: "200 millis" }))
      }
      yield* writing("many", manyBytes)
      yield* writing("long", longBytes)
      const { heap } = yield* server.memory
      yield* Effect.scoped(Effect.gen(function* () {
        const many = yield* crowd(server, { id: "many", whole: 440, vanishing: 50, slow: 10 })
        const long = yield* crowd(server, { id: "long", whole: 1, vanishing: 0, slow: 4 })
        yield* until("all readers have begun", () => many.seen().begun === 500 && long.seen().begun === 5)
        write("go", "")
        yield* until("all but the slow ones have read it", () => many.finished() >= 440 && long.finished() >= 1)
        yield* until("the vanishing readers have", () => many.seen().vanished === 50)
        // What they wait for is their own: the commands have long ended.
        for (const id of ["many", "long"]) expect((yield* client.command(id)).state).toBe("exited")
        yield* until("the slow readers have read long enough", () => long.seen().slowest >= slowSeconds)
        const kept = yield* server.memory
        expect(kept.heap - heap).toBeLessThan(mostKept)
        expect(server.files().sockets).toBeGreaterThanOrEqual(before.sockets + 4)

        for (const [id, readers, bytes] of [["many", many, manyBytes], ["long", long, longBytes]] as const) {
          const hash = createHash("sha256")
          let output = ""
          yield* Stream.runForEach(client.events(id), (numbered) =>
            Effect.sync(() => {
              hash.update(Sse.toBytesWithIds([numbered]))
              if (numbered.event._tag === "ShellOutputChunk") output += numbered.event.content
            }))
          expect(output === linesOf(bytes)).toBe(true)
          expect(Object.keys(readers.seen().digests)).toEqual([hash.digest("hex")])
        }
        long.hurry()
        yield* until("the slow readers have the rest", () => long.finished() === 5)
        expect(Object.keys(long.seen().digests)).toHaveLength(1)
        expect([...many.seen().broken, ...long.seen().broken]).toEqual([])
        expect(many.finished()).toBe(440)
      }))
      yield* cleanedUp(server, before, ownConnections)
    }),
  testMillis,
)
