/** Tests a file server that does not answer, or answers too much. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect, it } from "@effect/vitest"
import { vi } from "vitest"
import { encodeUtf8 } from "../../../src/base/bytes.ts"
import { FileServer } from "../../../src/leaves/container/FileServer.ts"
import { reportEnd, reportStart } from "../../../src/leaves/container/sessionScript.ts"
import type { HostProcess } from "../../../src/host/Host.ts"
import type { ByteReader, ExitStatus } from "../../../src/shell/SpawnedProcess.ts"

/** A client that answers each line with `answer`. */
const clientOf = (answer: (line: string) => ReadonlyArray<Uint8Array> | "endless" | "silent") => {
  const lines: Array<string> = []
  const endings: Array<(status: ExitStatus) => void> = []
  let waiting: ((bytes: Uint8Array | undefined) => void) | undefined
  let left: Array<Uint8Array> = []
  let isEndless = false
  let isKilled = false
  let count = 0
  const advance = (): void => {
    const done = waiting
    if (done === undefined) return
    const next = isKilled ? undefined : isEndless ? new Uint8Array(65_536) : left.shift()
    if (next === undefined && !isKilled) return
    waiting = undefined
    count += next?.length ?? 0
    queueMicrotask(() => done(next))
  }
  const stdout: ByteReader = {
    read: (done) => {
      waiting = done
      advance()
    },
    release: () => {},
  }
  const process: HostProcess = {
    pid: 1,
    stdout,
    stderr: undefined,
    stdin: {
      write: (bytes) => {
        const line = new TextDecoder().decode(bytes)
        if (!line.includes(" id=")) return Promise.resolve(true)
        lines.push(line)
        const given = answer(line)
        isEndless = given === "endless"
        if (typeof given !== "string") left = [...given]
        advance()
        return Promise.resolve(true)
      },
      end: () => Promise.resolve(),
    },
    onExit: (done) => void endings.push(done),
    kill: () => {
      isKilled = true
      for (const end of endings.splice(0)) end({ exitCode: 137, signal: "SIGKILL" })
      advance()
    },
    setRef: () => {},
  }
  const give = (bytes: Uint8Array): void => {
    left.push(bytes)
    advance()
  }
  return { process, lines, give, count: () => count, isKilled: () => isKilled }
}

const ok = (line: string): Uint8Array => encodeUtf8(`${reportStart}${/ id=([^;]+);/.exec(line)?.[1]} ok${reportEnd}`)

it.live("gives up on a server whose output another process floods, and does not keep the flood", () =>
  Effect.gen(function* () {
    const client = clientOf(() => "endless")
    const server = new FileServer(client.process)
    const lost = yield* Effect.flip(server.call({ name: "read", words: [5, 0, 0, 1_000_000] }))
    expect(lost).toMatchObject({
      code: "HOSTLOST",
      detail: expect.stringContaining("the response is longer than requested"),
    })
    expect([client.isKilled(), client.count() < 2_000_000]).toEqual([true, true])
  }))

it("waits a while for the reply of an interrupted call, undoes what it did, and ends a server that does not reply", async () => {
  vi.useFakeTimers()
  try {
    const answers = (line: string) => line.includes("do_close") ? [ok(line)] : "silent"
    const start = async () => {
      const client = clientOf(answers)
      const server = new FileServer(client.process)
      const call = { name: "open" as const, words: [5, "/", "a", 0, 10, 0] }
      const fiber = Effect.runFork(server.call(call, undefined, { name: "close", words: [5] }))
      await vi.advanceTimersByTimeAsync(10)
      return { client, server, interrupted: Effect.runPromise(Fiber.interrupt(fiber)) }
    }
    const silent = await start()
    await vi.advanceTimersByTimeAsync(5_000)
    await silent.interrupted
    expect(silent.client.isKilled()).toBe(true)
    expect(await Effect.runPromise(Effect.flip(silent.server.call({ name: "root", words: ["/"] })))).toMatchObject({
      code: "HOSTLOST",
    })

    const late = await start()
    late.client.give(ok(late.client.lines[0] ?? ""))
    await late.interrupted
    expect([late.client.isKilled(), late.client.lines.length]).toEqual([false, 2])
    expect(late.client.lines[1]).toContain("do_close 5")
  } finally {
    vi.useRealTimers()
  }
})
