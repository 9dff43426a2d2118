import { expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { gzipSync } from "node:zlib"
import { Process } from "../../../../src/kernel/process/Process.ts"
import { WaitCalls } from "../../../../src/kernel/process/WaitCalls.ts"
import { CurlConfig } from "../../../../src/kernel/utilities/curl/CurlConfig.ts"
import { expandUrl } from "../../../../src/kernel/utilities/curl/expandUrl.ts"
import { decode } from "../../../../src/kernel/utilities/http/readResponse.ts"
import { Sandbox } from "../../../../src/sandbox/mod.ts"

const run = (script: string, respond: () => Response = () => new Response("there\n")) =>
  Effect.gen(function* () {
    let requests = 0
    const fetch = () => {
      requests++
      return Promise.resolve(respond())
    }
    const env = { U: "http://server.test" }
    const sandbox = yield* Sandbox.make({ env, timeout: "100 seconds", network: { origins: ["http://*"], fetch } })
    const { exitCode, stderr, stdout } = yield* sandbox.run(script)
    return { exitCode, stderr, stdout, requests }
  }).pipe(Effect.scoped)

/** A text of repeated letters, made by a program so that no argument is long. */
const many = (text: string, count: number): string => `yes '${text}' | head -n ${count} | tr -d '\\n'`

it.live("reads a format of many unclosed variables once", () =>
  Effect.gen(function* () {
    const script = `${many("%{", 500_000)} > f; curl -s -o /dev/null -w @f $U | wc -c
      { cat f; echo '}%{'; } > g; curl -s -o /dev/null -w @g $U 2> errors; wc -c < errors`
    const { stdout } = yield* run(script)
    expect(stdout).toBe(`1000000\n%{\n1000037\n`)
  }))

it.live("writes the output of -w while it is formatted, and lets other processes run", () =>
  Effect.gen(function* () {
    const script = `${many("%{header_json}", 2_000)} > f; curl -s -o /dev/null -w @f $U | wc -c`
    const flushes = vi.spyOn(WaitCalls.prototype, "yield")
    try {
      const { stdout } = yield* run(script, () => new Response("", { headers: { "x-long": "x".repeat(10_000) } }))
      expect(Number(stdout)).toBeGreaterThan(20_000_000)
      expect(flushes.mock.calls.length).toBeGreaterThan(200)
    } finally {
      flushes.mockRestore()
    }
  }))

it.live.each(
  [
    ["a configuration of many URLs", "yes url=http://a | head -n 90000 > c; curl -K c --version"],
    ["a configuration of many headers", "yes 'header = a: b' | head -n 90000 > c; curl -K c --version"],
    [
      "a file of many cookies",
      `seq 90000 | sed 's/.*/a.test\\tFALSE\\t\\/\\tFALSE\\t0\\t&\\t1/' > c; curl -s -b c $U`,
    ],
  ] as const,
)("lets other processes run while it reads %s", ([, script]) =>
  Effect.gen(function* () {
    const [prepare = "", curl = ""] = script.split("; ")
    const yields = vi.spyOn(WaitCalls.prototype, "yield")
    try {
      const { exitCode } = yield* run(`${prepare}; ${curl}`)
      expect(exitCode).toBe(0)
      expect(yields.mock.calls.filter(([cost]) => cost === Infinity).length).toBeGreaterThan(20)
    } finally {
      yields.mockRestore()
    }
  }))

it("finds the first open slot without a search through all", () => {
  const config = new CurlConfig()
  for (let at = 0; at < 400_000; at++) config.slot("url").url = `u${at}`
  config.slot("hasOutput").hasOutput = true
  config.slot("upload").upload = "first"
  config.slot("hasOutput").hasOutput = true
  expect(config.slots).toHaveLength(400_000)
  expect(config.slots.slice(0, 3)).toEqual([
    { url: "u0", hasOutput: true, upload: "first" },
    { url: "u1", hasOutput: true },
    { url: "u2" },
  ])
})

it.live.each(
  [
    ["a line of a configuration", `{ printf 'data="'; ${many("\\", 1_000_000)}; } > c; curl -K c $U`, 2, "characters"],
    ["-G data", "head -c 1000000 /dev/zero | tr '\\0' a > d; curl -sS -G -d @d $U", 43, "the query is longer than"],
    [
      "many queries",
      `yes "url-query = a$(${many("b", 1000)})" | head -n 9000 > c; curl -sS -K c $U`,
      43,
      "the query is longer than",
    ],
  ] as const,
)("refuses %s beyond its limit", ([, script, code, message]) =>
  Effect.gen(function* () {
    const { exitCode, requests, stderr } = yield* run(script)
    expect(stderr).toContain(message)
    expect({ exitCode, requests }).toEqual({ exitCode: code, requests: 0 })
  }))

it.live("takes 50 cookies of a response, as curl does", () =>
  Effect.gen(function* () {
    const headers = Array.from({ length: 200 }, (_, at): [string, string] => ["set-cookie", `c${at}=1`])
    const { stdout } = yield* run("curl -s -o /dev/null -c - $U | grep -c server.test", () =>
      new Response("", { headers }))
    expect(stdout).toBe("50\n")
  }))

it.live("keeps the newest 50 cookies of a domain, and sends 8,190 characters of them", () =>
  Effect.gen(function* () {
    let count = 0
    const respond = () => {
      const headers = Array.from(
        { length: 40 },
        (): [string, string] => ["set-cookie", `c${count++}=${"x".repeat(500)}`],
      )
      return new Response("", { headers })
    }
    const script = `curl -s -o /dev/null -c j $U $U $U; grep -c server.test j; grep -c -w c0 j; grep -c -w c119 j
      curl -sv -b j $U 2>&1 | grep '^> Cookie' | wc -c`
    const { stdout } = yield* run(script, respond)
    const [kept, first, last, sent] = stdout.trim().split("\n").map(Number)
    expect([kept, first, last]).toEqual([50, 0, 1])
    expect(sent).toBeGreaterThan(7_000)
    expect(sent).toBeLessThan(8_210)
  }))

it("expands a URL one by one", () => {
  const urls = expandUrl(`http://x/[1-100000]${"{a}".repeat(40)}`)
  const end = "a".repeat(40)
  expect(urls.next().value).toEqual({ url: `http://x/1${end}`, parts: ["1", ...end] })
  expect(urls.next().value).toEqual({ url: `http://x/2${end}`, parts: ["2", ...end] })
})

it.live("reads a body of many small pieces into one buffer", () =>
  Effect.gen(function* () {
    const body = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (let at = 0; at < 2_000; at++) controller.enqueue(new Uint8Array([120]))
          controller.close()
        },
      })
    const reads = vi.spyOn(Process.prototype, "read")
    try {
      const { stdout } = yield* run("curl -s $U", () => new Response(body()))
      expect(stdout).toBe("x".repeat(2_000))
      const buffers = reads.mock.calls.map(([, into]) => into.buffer)
      expect(buffers.length).toBeGreaterThan(2_000)
      expect(new Set(buffers).size).toBeLessThan(100)
    } finally {
      reads.mockRestore()
    }
  }))

it("decompresses in small steps: no piece is large", async () => {
  const source = (async function* () {
    yield new Uint8Array(gzipSync(new Uint8Array(64_000_000)))
  })()
  let [total, largest] = [0, 0]
  for await (const { length } of decode(source, "gzip")) {
    total += length
    largest = Math.max(largest, length)
  }
  expect(total).toBe(64_000_000)
  expect(largest).toBeLessThan(2_000_000)
})
