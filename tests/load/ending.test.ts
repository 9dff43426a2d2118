import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createServer } from "node:net"
import { ShellExec } from "../../src/command/ShellExec.ts"
import type { EventWithId } from "../../src/wire/sse.ts"
import { RemoteClient } from "../../src/client/Client.ts"
import { pause } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"
import { shoot } from "./clients.ts"
import { endsOf, notOnce, readReport, type Report } from "./report.ts"
import { isLong, onLinux, testMillis, token, until } from "./scale.ts"
import { type LoadServer, startServer } from "./server.ts"

/** A command that takes its time, and prints what comes after it. */
const slowly = ["sh", "-c", "sleep 0.05; echo $0"]

const clientOf = ({ url }: LoadServer) => Effect.runSync(RemoteClient.make({ url, token }))

/** Whether a port is free. */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.on("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

const healthOf = (url: string): Promise<number | undefined> =>
  fetch(`${url}health`).then(async (response) => {
    await response.text()
    return response.status
  }, () => undefined)

/** A success that a client was told is also in the journal. */
const expectTold = ({ commands }: Report, ran: ReadonlyArray<string>): void => {
  expect(ran.length).toBeGreaterThan(0)
  const others = ran.filter((id) => {
    const state = commands.get(id)?.state
    return state?._tag !== "Exited" || state.exitCode !== 0
  })
  expect(others).toEqual([])
}

const amount = isLong ? 5_000 : 500

const goings: ReadonlyArray<readonly [what: string, flags: ReadonlyArray<string>]> = [
  ["lets all go on that it has taken", ["--drain", "60s"]],
  ["ends all that it has taken", []],
]

it.live.each(onLinux ? goings : [])(
  "on shutdown under load it takes no more, %s, and leaves nothing",
  ([_, flags]) =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const server = yield* startServer(path("runs.db"), ...flags)
      const load = yield* shoot(server, { name: "c", amount, connections: 100, command: slowly })
      yield* until("the load has begun", () => load.ran.length >= amount / 10)
      server.signal("SIGTERM")
      if (flags.length > 0) {
        const health = Effect.promise(() => healthOf(server.url))
        const last = yield* Effect.repeat(health, { while: (status) => status === 200 })
        expect(last).toBe(503)
      }
      expect(yield* server.status).toBe(0)
      const shots = yield* load.shots
      expect(shots.wrong).toEqual([])
      expect(yield* Effect.promise(() => isFree(server.port))).toBe(true)
      yield* until("no process is left", () => server.left().length === 0)
      const report = yield* readReport(server.journal)
      expect(notOnce(report)).toEqual([])
      expectTold(report, load.ran)
      const { "exit 0": well = 0, Cancelled: cancelled = 0, ...others } = endsOf(report)
      expect(others).toEqual({})
      // With a drain all that was taken was answered; without, what was under way was ended.
      if (flags.length > 0) expect([well, cancelled]).toEqual([load.ran.length, 0])
      else expect(cancelled).toBeGreaterThan(0)
      expect(server.noise()).toEqual([])
    }),
  testMillis,
)

const kills = isLong ? 10 : 2

/** A command that ignores SIGTERM and never ends. */
const ticking = "trap '' TERM; i=0; while :; do echo $((i += 1)); sleep 0.02; done"

/** A command of a killed server whose first events were read: the rest can be read from any position. */
const readOn = (server: LoadServer, id: string, first: ReadonlyArray<EventWithId>) =>
  Effect.gen(function* () {
    const client = clientOf(server)
    for (const count of [1, Math.ceil(first.length / 2), first.length]) {
      const rest = yield* Stream.runCollect(client.events(id, first[count - 1]?.id))
      const all = yield* Stream.runCollect(client.events(id))
      expect([...first.slice(0, count), ...rest]).toEqual(all)
      expect(all.at(-1)?.event).toMatchObject({ _tag: "ShellFault", reason: { _tag: "HostLost" } })
    }
  })

it.live.skipIf(!onLinux)(
  "killed under load again and again it leaves a journal in which every command has one end, and no process",
  () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const lefts: Array<LoadServer["left"]> = []
      const ran: Array<string> = []
      const start = Effect.tap(startServer(path("runs.db")), ({ left }) => Effect.sync(() => lefts.push(left)))
      let seen: ReadonlyArray<EventWithId> = []

      for (let round = 0; round < kills; round++) {
        yield* Effect.scoped(Effect.gen(function* () {
          const server = yield* start
          const client = clientOf(server)
          if (round > 0) yield* readOn(server, `tick-${round - 1}`, seen)
          const id = `tick-${round}`
          yield* client.detach(ShellExec.make("sh", ["-c", ticking], { commandId: id, grace: "100 millis" }))
          const load = yield* shoot(server, { name: `c${round}`, amount: 100_000, connections: 50, command: slowly })
          yield* until("the load has begun", () => load.ran.length > 0)
          const events: Array<EventWithId> = []
          const read = Stream.runForEach(client.events(id), (event) =>
            Effect.sync(() => {
              // At another moment each time.
              if (events.push(event) === 10 + (17 * round) % 50) server.signal("SIGKILL")
            }))
          yield* Effect.ignore(read)
          expect(yield* server.status).toBe("SIGKILL")
          seen = events
          ran.push(...load.ran)
        }))
      }
      const last = yield* start
      yield* readOn(last, `tick-${kills - 1}`, seen)
      const open = clientOf(last).commands({ state: ["open", "lost"] })
      yield* Effect.repeat(Effect.tap(open, () => pause(50)), { while: ({ commands }) => commands.length > 0 })
      last.signal("SIGTERM")
      expect(yield* last.status).toBe(0)

      yield* until("no process is left", () => lefts.every((left) => left().length === 0))
      const report = yield* readReport(last.journal)
      expect(notOnce(report)).toEqual([])
      expectTold(report, ran)
      const { "exit 0": well = 0, HostLost: lost = 0, ...others } = endsOf(report)
      expect(others).toEqual({})
      expect(well).toBeGreaterThanOrEqual(ran.length)
      expect(lost).toBeGreaterThanOrEqual(kills)
    }),
  testMillis,
)
