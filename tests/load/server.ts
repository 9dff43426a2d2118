/** A server in a process of its own, and what the system knows of it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { fileURLToPath } from "node:url"
import { descendantsOf, filesOf, linesOf, type OpenFiles, started } from "./processes.ts"
import { token, until } from "./scale.ts"

/** Bytes: what is resident, and what is reachable. */
export interface Memory {
  readonly rss: number
  readonly heap: number
}

const memoryLine = `{"memory"`

const decodeMemory = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ memory: Schema.Struct({ rss: Schema.Number, heap: Schema.Number }) })),
)

/** A server, and what can be seen of it. */
export interface LoadServer {
  readonly pid: number
  readonly port: number
  readonly url: string
  readonly journal: string
  /** What it said on stderr beside its memory. */
  readonly noise: () => ReadonlyArray<string>
  readonly signal: (name: NodeJS.Signals) => void
  /** How it ended, or its signal. */
  readonly status: Effect.Effect<number | string>
  readonly files: () => OpenFiles
  /** What it needs when its garbage was collected. */
  readonly memory: Effect.Effect<Memory>
  /** Processes that it started, and those that these started: also when it has ended, and those that left their parents. */
  readonly left: () => ReadonlyArray<number>
}

/** What lets the server collect its garbage when it is asked to; Bun always can. */
const before: ReadonlyArray<string> = "Deno" in globalThis
  ? ["run", "-A", "--quiet", "--v8-flags=--expose-gc"]
  : "Bun" in globalThis
  ? []
  : ["--expose-gc", "--no-warnings"]

/** Starts `sluice serve` on a journal in SQLite, on this runtime; it is killed with the scope. */
export const startServer = (journal: string, ...flags: ReadonlyArray<string>): Effect.Effect<
  LoadServer,
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const mark = randomUUID()
    const variable = `SLUICE_LOAD=${mark}`
    const file = fileURLToPath(new URL("./serve.ts", import.meta.url))
    const words = ["serve", "--port", "0", "--token", token, "--journal", journal, ...flags]
    const child = yield* started(process.execPath, [...before, file, ...words], { SLUICE_LOAD: mark })
    const pid = child.pid ?? 0
    const out: Array<string> = []
    const err: Array<string> = []
    let status: number | string | undefined
    let ended = false
    linesOf(child, "stdout", (line) => out.push(line))
    linesOf(child, "stderr", (line) => err.push(line))
    child.on("exit", () => {
      ended = true
    })
    child.on("close", (code, signal) => {
      status = code ?? signal ?? "?"
    })
    yield* until("the server says where it listens", () => out.length > 0 || status !== undefined)
    if (out[0] === undefined) {
      return yield* Effect.die(new Error(`the server ended with ${status}: ${err.join("\n")}`))
    }
    const url = `${out[0]}/`
    return {
      pid,
      port: Number(new URL(url).port),
      url,
      journal,
      noise: () => err.filter((line) => !line.startsWith(memoryLine) && !line.startsWith("sluice: page ")),
      signal: (name) => {
        if (!ended) process.kill(pid, name)
      },
      status: Effect.map(until("the server ends", () => status !== undefined), () => status ?? "?"),
      files: () => filesOf(pid),
      memory: Effect.gen(function* () {
        const seen = err.length
        child.stdin.write("memory\n")
        const found = (): string | undefined => err.slice(seen).find((line) => line.startsWith(memoryLine))
        yield* until("the server says what memory it needs", () => found() !== undefined)
        return decodeMemory(found()).memory
      }),
      left: () => descendantsOf(pid, variable),
    }
  })
