import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { rawPost } from "../support/rawClient.ts"
import { workshop } from "../support/workshop.ts"
import { besiege, kindsOfHostility } from "./hostile.ts"
import { cleanedUp, shoot, warmedUp, warmUps } from "./clients.ts"
import { endsOf, notOnce, readReport } from "./report.ts"
import { isLong, onLinux, testMillis, token } from "./scale.ts"
import { type LoadServer, type Memory, startServer } from "./server.ts"

const amount = 1_000
const rounds = isLong ? 10 : 1
const vanishing = 20

/**
 * What may stay of one request, in bytes. What is reachable after a collection grew by up to 1.5 MB in the first round of
 * a thousand, and by 0.1 MB in later ones. With 500 numbers kept of each request it grew by 6 MB and more.
 */
const mostKept = 2_500

/** The same of what is resident, which differs by tens of megabytes: the least of three rounds, and seven rounds later. */
const mostResident = 4_000

/** Clients that have the token and go away, every other one without a word, when their command has begun. */
const vanish = ({ url }: LoadServer, round: number) =>
  Effect.promise(async () => {
    for (let index = 0; index < vanishing; index++) {
      const commandId = `gone${round}-${index}`
      const body = { command: "sh", arguments: ["-c", "echo; sleep 600"], commandId, grace: 100 }
      const socket = await rawPost({ url: `${url}exec`, token, body, accept: "text/event-stream" })
      socket.once("readable", () => index % 2 === 0 ? socket.destroy() : socket.resetAndDestroy())
    }
  })

/** A thousand commands over two hundred connections, beside clients that mean no good. */
const assault = (server: LoadServer, round: number) =>
  Effect.gen(function* () {
    let enough = false
    const siege = yield* Effect.forkScoped(Effect.promise(() => besiege(server.port, () => enough)))
    const load = yield* shoot(server, { name: `c${round}`, amount, connections: 200 })
    yield* vanish(server, round)
    const shots = yield* load.shots
    enough = true
    const told = yield* Fiber.join(siege)
    expect(shots).toEqual({ made: amount, errors: 0, timeouts: 0, statuses: { 200: amount }, wrong: [] })
    expect(told.filter(({ isRight }) => !isRight)).toEqual([])
    expect(new Set(told.map(({ kind }) => kind)).size).toBe(kindsOfHostility)
  })

const least = (memories: ReadonlyArray<Memory>, what: keyof Memory): number =>
  Math.min(...memories.map((memory) => memory[what]))

it.live.skipIf(!onLinux)(
  "answers a thousand commands over two hundred connections beside hostile clients, and keeps nothing of any",
  () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const server = yield* startServer(path("runs.db"))
      yield* Effect.promise(() => besiege(server.port, () => true))
      const before = yield* warmedUp(server)
      const memories = [yield* server.memory]
      for (let round = 0; round < rounds; round++) {
        yield* Effect.scoped(assault(server, round))
        yield* cleanedUp(server, before)
        memories.push(yield* server.memory)
      }
      const report = yield* readReport(server.journal)
      expect(notOnce(report)).toEqual([])
      expect(endsOf(report)).toEqual({ "exit 0": warmUps + rounds * amount, "Cancelled": rounds * vanishing })
      expect(server.noise()).toEqual([])

      if (isLong) console.log(memories)
      // The long run has begun to be still after its first rounds.
      const [early, late] = isLong
        ? [memories.slice(1, 4), memories.slice(-3)]
        : [memories.slice(0, 1), memories.slice(1)]
      const requests = (isLong ? rounds - 3 : rounds) * amount
      expect(least(late, "heap") - least(early, "heap")).toBeLessThan(requests * mostKept)
      if (isLong) expect(least(late, "rss") - least(early, "rss")).toBeLessThan(requests * mostResident)
    }),
  testMillis,
)
