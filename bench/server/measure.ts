/** One measurement in a process of its own: `measure.ts ROW TOOL JOB` prints values as a line of JSON. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { join } from "node:path"
import process from "node:process"
import { LocalShell, Shell, ShellExec } from "../../mod.ts"
import { RemoteShell } from "../../src/leaves/remote/Remote.ts"
import { root } from "../machine.ts"
import type { Values } from "../rows/Row.ts"
import { decodeJob, type Job } from "./Job.ts"
import { token } from "./token.ts"

const lineOf = (stream: NodeJS.ReadableStream): Promise<string> =>
  new Promise((resolve) => {
    let text = ""
    stream.on("data", (bytes) => {
      text += String(bytes)
      if (text.includes("\n")) resolve(text.trim())
    })
  })

/** Uses a server of this runtime, in a process of its own. */
const withServer = async <A>(
  kind: string,
  use: (url: string) => Promise<A>,
  program = "/bin/true",
): Promise<A> => {
  const words = typeof Deno === "undefined" ? [] : ["run", "--allow-all", "--quiet"]
  const child = spawn(
    process.execPath,
    [...words, join(import.meta.dirname, "serve.ts"), kind, program],
    { stdio: ["pipe", "pipe", "inherit"] },
  )
  try {
    return await use(`http://127.0.0.1:${await lineOf(child.stdout)}/`)
  } finally {
    child.kill("SIGKILL")
  }
}

const isRecord = (u: unknown): u is Readonly<Record<string, unknown>> => typeof u === "object" && u !== null

const numberIn = (u: unknown, ...path: ReadonlyArray<string>): number => {
  const found = path.reduce<unknown>((at, key) => isRecord(at) ? at[key] : undefined, u)
  if (typeof found !== "number") throw new Error(`autocannon says nothing of ${path.join(".")}`)
  return found
}

/** Requests over so many connections, after as many that warm the server up. */
const requests = (kind: string, { connections, requests }: Job): Promise<Values> =>
  withServer(kind, async (url) => {
    const shoot = async (amount: number): Promise<unknown> => {
      const child = spawn("node", [
        join(root, "node_modules", "autocannon", "autocannon.js"),
        "--json",
        ...["--connections", String(connections), "--amount", String(amount)],
        ...["--method", "POST", "--timeout", "60", "--body", JSON.stringify({ command: "/bin/true" })],
        ...["--headers", "content-type=application/json", "--headers", `authorization=Bearer ${token}`],
        `${url}exec`,
      ], { stdio: ["ignore", "pipe", "ignore"] })
      let text = ""
      child.stdout.on("data", (bytes) => text += String(bytes))
      await new Promise((resolve) => child.on("close", resolve))
      return JSON.parse(text)
    }
    await shoot(requests)
    const result = await shoot(requests)
    if (numberIn(result, "2xx") !== requests) throw new Error(`${numberIn(result, "non2xx")} requests failed`)
    return {
      // Its duration is whole seconds; connections are never idle, so the mean latency tells more exactly.
      perSecond: connections * 1000 / numberIn(result, "latency", "average"),
      p50: numberIn(result, "latency", "p50"),
      p99: numberIn(result, "latency", "p99"),
    }
  })

const readLines = (job: Job): Effect.Effect<Values, unknown, Shell> =>
  Effect.gen(function* () {
    const read = (bytes: number) =>
      Stream.runFold(
        Shell.exec(ShellExec.make(job.writer, [String(bytes)])),
        () => 0,
        (seen, event) => event._tag === "ShellOutput" ? seen : seen + event.content.length,
      )
    yield* read(job.lineBytes / 4)
    const start = performance.now()
    const seen = yield* read(job.lineBytes)
    if (seen !== job.lineBytes) throw new Error(`${seen} of ${job.lineBytes} bytes`)
    return { megabytesPerSecond: seen / (performance.now() - start) / 1000 }
  })

/** The bytes of the writer through the runtime's own server, spawn and fetch. */
const rawBytes = ({ lineBytes, writer }: Job): Promise<Values> =>
  withServer("floor", async (url) => {
    const read = async (bytes: number): Promise<number> => {
      const { body } = await fetch(`${url}?bytes=${bytes}`)
      let seen = 0
      if (body !== null) { for await (const piece of body) seen += piece.length }
      return seen
    }
    await read(lineBytes / 4)
    const start = performance.now()
    const seen = await read(lineBytes)
    if (seen !== lineBytes) throw new Error(`${seen} of ${lineBytes} bytes`)
    return { megabytesPerSecond: seen / (performance.now() - start) / 1000 }
  }, writer)

const measure = (row: string, tool: string, job: Job): Promise<Values> => {
  if (row === "requests") return requests(tool, job)
  if (tool === "floor") return rawBytes(job)
  if (tool === "local") return Effect.runPromise(Effect.provide(readLines(job), LocalShell.layer))
  return withServer(
    "sluice",
    (url) => Effect.runPromise(Effect.provide(readLines(job), RemoteShell.layer({ url, token }))),
  )
}

const [row = "", tool = "", text = ""] = process.argv.slice(2)
process.stdout.write(`${JSON.stringify(await measure(row, tool, decodeJob(text)))}\n`)
process.exit(0)
