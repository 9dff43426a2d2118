/** Clients of a server, each crowd of them in a process of its own. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { fileURLToPath } from "node:url"
import { findRuntime } from "../../scripts/runtimes.mjs"
import { type Crowd, type CrowdJob, decodeCrowd } from "./Crowd.ts"
import { linesOf, type OpenFiles, started } from "./processes.ts"
import { token, until } from "./scale.ts"
import type { LoadServer } from "./server.ts"
import { decodeShot, type Job, type Shots } from "./Shot.ts"

/** A load while it comes. */
export interface Load {
  /** The commands that were answered with 200, as far as it is known. */
  readonly ran: ReadonlyArray<string>
  readonly shots: Effect.Effect<Shots>
}

interface Script {
  readonly ended: () => boolean
  readonly stderr: () => string
  readonly say: (text: string) => void
}

/** A script of this directory, in a process of its own on Node: what tests the server must not be what is slow. */
const script = (
  name: string,
  job: object,
  line: (text: string) => void,
): Effect.Effect<Script, never, Scope.Scope> =>
  Effect.gen(function* () {
    const root = fileURLToPath(new URL("../..", import.meta.url))
    const file = fileURLToPath(new URL(name, import.meta.url))
    const child = yield* started(findRuntime("node", root) ?? "node", ["--no-warnings", file, JSON.stringify(job)], {})
    const err: Array<string> = []
    let ended = false
    linesOf(child, "stdout", line)
    linesOf(child, "stderr", (text) => err.push(text))
    child.on("close", () => {
      ended = true
    })
    return { ended: () => ended, stderr: () => err.join("\n"), say: (text) => void child.stdin.write(`${text}\n`) }
  })

/** Begins to send commands by the load tool, which is killed with the scope. */
export const shoot = (
  { url }: LoadServer,
  job: Partial<Job> & Pick<Job, "name" | "amount" | "connections">,
): Effect.Effect<Load, never, Scope.Scope> =>
  Effect.gen(function* () {
    const whole: Job = { url, token, command: ["echo"], ...job }
    const ran: Array<string> = []
    let shots: Shots | undefined
    const { ended, stderr } = yield* script("./cannon.ts", whole, (line) => {
      const shot = decodeShot(line)
      ran.push(...shot.ran)
      shots = shot.shots
    })
    return {
      ran,
      shots: Effect.flatMap(
        until("the load tool ends", ended),
        () => shots === undefined ? Effect.die(new Error(`the load tool broke: ${stderr()}`)) : Effect.succeed(shots),
      ),
    }
  })

/** Readers of one command. */
export interface Readers {
  readonly seen: () => Crowd
  /** How many have come to the end. */
  readonly finished: () => number
  /** The slow ones read the rest as fast as they can. */
  readonly hurry: () => void
}

/** Begins to read a command by many, who are gone with the scope. */
export const crowd = (
  { url }: LoadServer,
  job: Omit<CrowdJob, "url" | "token">,
): Effect.Effect<Readers, never, Scope.Scope> =>
  Effect.gen(function* () {
    let seen: Crowd = { begun: 0, digests: {}, vanished: 0, broken: [], slowest: 0 }
    const { say } = yield* script("./readers.ts", { url, token, ...job }, (line) => {
      seen = decodeCrowd(line)
    })
    return {
      seen: () => seen,
      finished: () => Object.values(seen.digests).reduce((sum, count) => sum + count, 0),
      hurry: () => say("hurry"),
    }
  })

/** Commands that warm a server up. */
export const warmUps = 201

/** The server as it is when it has had some work, and none now: its open files. */
export const warmedUp = (server: LoadServer): Effect.Effect<OpenFiles, never, Scope.Scope> =>
  Effect.gen(function* () {
    const idle = server.files()
    yield* (yield* shoot(server, { name: "warm", amount: warmUps - 1, connections: 50 })).shots
    // The journal keeps the file open to which it appends long output: from the first of it on.
    yield* (yield* shoot(server, { name: "long", amount: 1, connections: 1, command: ["sh", "-c", "seq 200000"] }))
      .shots
    yield* server.memory
    // What is counted before the last connection is closed would hide as many that are left open later.
    const isStill = () => server.left().length === 0 && server.files().sockets <= idle.sockets
    yield* until("the warm server is still", isStill, () => [idle, server.files(), server.left()])
    return server.files()
  })

/** Nothing is left of what was done: no process, no file, no socket, but for connections that are known to stay. */
export const cleanedUp = (server: LoadServer, before: OpenFiles, staying = 0): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* until("no process is left", () => server.left().length === 0)
    yield* until("no file is left open", () => {
      const { all, sockets } = server.files()
      return all <= before.all + staying && sockets <= before.sockets + staying
    }, () => [before, server.files()])
  })
