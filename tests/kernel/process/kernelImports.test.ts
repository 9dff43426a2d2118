import { expect, it } from "@effect/vitest"
import { BufferFile } from "../../../src/kernel/process/BufferFile.ts"
import { systemClock } from "../../../src/kernel/process/KernelClock.ts"
import { canCompileC, compileC } from "../../support/wasi.ts"
import { createKernelImports } from "../../../src/kernel/process/kernelImports.ts"
import { makeNetwork } from "../../../src/kernel/network/makeNetwork.ts"
import type { NetworkPolicy } from "../../../src/kernel/network/NetworkPolicy.ts"
import { Process } from "../../../src/kernel/process/Process.ts"
import type { System } from "../../../src/kernel/System.ts"
import { copier, expectedTally, makeKernel, must, run } from "./support.ts"

/** Calls the imports from a program in TypeScript, with a memory of one page: request at 0, answer at 32,768. */
const withImports = async (
  body: (
    call: (name: string, request: unknown, capacity?: number) => Promise<unknown>,
    system: System,
  ) => Promise<void>,
  policy?: NetworkPolicy,
) => {
  const kernel = makeKernel({ programs: { copy: copier(10), seven: () => 7 } })
  let failure: unknown
  const ran = await run(kernel, {
    program: async (system) => {
      if (!(system instanceof Process)) throw new Error("no process")
      const memory = new WebAssembly.Memory({ initial: 1 })
      const imports = createKernelImports({
        process: system,
        memory: () => memory,
        runChild: undefined,
        extensions: new Map(),
        network: policy && makeNetwork(policy, systemClock),
      })
      try {
        await body(async (name, request, capacity = 1_000) => {
          const json = new TextEncoder().encode(JSON.stringify(request))
          new Uint8Array(memory.buffer).set(json)
          const out = 32_768
          const args = name === "host_pipe"
            ? [out, capacity]
            : name === "host_waitpid"
            ? [Number(request), out, capacity]
            : name === "host_close_fd"
            ? [Number(request)]
            : name === "host_spawn"
            ? [0, json.length]
            : [0, json.length, out, capacity]
          const size = await imports[name]?.(...args)
          if (size === undefined || size < 0 || size > capacity || name === "host_close_fd" || name === "host_spawn") {
            return size
          }
          return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, out, size)))
        }, system)
      } catch (cause) {
        failure = cause
      }
      return 0
    },
  })
  if (failure !== undefined) throw failure
  expect(ran.exitCode).toBe(0)
}

it("makes pipes from descriptor 3 on, and returns the size of a response that does not fit", () =>
  withImports(async (call, system) => {
    expect(await call("host_pipe", 0, 4)).toBe('{"read_fd":3,"write_fd":4}'.length)
    // What was not told was not made.
    expect(system.descriptors()).toEqual([0, 1, 2])
    expect(await call("host_pipe", 0)).toEqual({ read_fd: 3, write_fd: 4 })
    expect(await call("host_pipe", 0)).toEqual({ read_fd: 5, write_fd: 6 })
    expect(await call("host_close_fd", 3)).toBe(0)
    expect(await call("host_close_fd", 3)).toBe(-1)
    expect(await call("host_pipe", 0)).toEqual({ read_fd: 3, write_fd: 7 })
  }))

it("starts processes, and keeps each in the table until its status was read", () =>
  withImports(async (call) => {
    const pid = await call("host_spawn", {
      prog: "seven",
      args: [],
      env: [["PATH", "/bin"]],
      cwd: "/",
      stdin_fd: 0,
      stdout_fd: 1,
      stderr_fd: 2,
    })
    expect(pid).toBe(2)
    expect(await call("host_waitpid", pid, 3)).toBe('{"exit_code":7}'.length)
    expect(await call("host_waitpid", pid)).toEqual({ exit_code: 7 })
    expect(await call("host_waitpid", pid)).toBe(-1)
  }))

it.each([
  { prog: "none" },
  { prog: 1 },
  { prog: "seven", args: [1] },
  { prog: "seven", env: [["A"]] },
  { prog: "seven", stdin_fd: 99 },
  { prog: "seven", stdout_fd: -1 },
  { prog: "seven", cwd: "/none" },
  [],
  "seven",
])("returns -1 for an invalid request: %j", (request) =>
  withImports(async (call) => {
    expect(await call("host_spawn", request)).toBe(-1)
  }))

const asked = (answers: Readonly<Record<string, () => Response>>) => {
  const urls: Array<string> = []
  const fetch = (request: Request): Promise<Response> => {
    urls.push(`${request.method} ${request.url} ${request.headers.get("authorization") ?? "-"}`)
    const answer = answers[request.url]
    return answer === undefined ? Promise.reject(new Error("no such page")) : Promise.resolve(answer())
  }
  return { urls, fetch }
}

it("fetches only from listed origins", () =>
  withImports(async (call) => {
    expect(await call("host_network_fetch", { url: "https://example.org/" })).toMatchObject({
      ok: false,
      error: "network: nothing is allowed",
    })
  }))

it("fetches once, even if the first buffer is too small", async () => {
  const { fetch, urls } = asked({ "https://one.test/a": () => new Response("page", { status: 201 }) })
  await withImports(async (call) => {
    const request = { url: "https://one.test/a", method: "POST", headers: [["authorization", "me"]], body: "x" }
    expect(await call("host_network_fetch", request, 10)).toBeGreaterThan(10)
    expect(await call("host_network_fetch", request)).toMatchObject({
      ok: true,
      status: 201,
      body: "page",
      error: null,
    })
    expect(await call("host_network_fetch", { url: "https://one.test:8443/a" })).toMatchObject({
      ok: false,
      error: "network: https://one.test:8443 is not allowed",
    })
    expect(await call("host_network_fetch", { url: "file:///etc/passwd" })).toMatchObject({ ok: false })
    expect(await call("host_network_fetch", { url: "https://one.test/b" })).toMatchObject({
      error: "network: no such page",
    })
  }, { origins: ["https://one.test"], fetch })
  expect(urls).toEqual(["POST https://one.test/a me", "GET https://one.test/b -"])
})

it("checks the target of each redirect, and drops headers that belong to another origin", async () => {
  const to = (location: string, status = 302) => () => new Response(null, { status, headers: { location } })
  const { fetch, urls } = asked({
    "https://one.test/a": to("https://two.test/b"),
    "https://two.test/b": () => new Response("there"),
    "https://one.test/out": to("http://169.254.169.254/latest"),
    "https://one.test/round": to("/round", 307),
  })
  await withImports(async (call) => {
    const get = (url: string) => call("host_network_fetch", { url, headers: { authorization: "me" } })
    expect(await get("https://one.test/a")).toMatchObject({ ok: true, body: "there" })
    expect(await get("https://one.test/out")).toMatchObject({ error: "network: http://169.254.169.254 is not allowed" })
    expect(await get("https://one.test/round")).toMatchObject({ error: "network: more than 20 redirects" })
  }, { origins: ["https://one.test", "https://two.test"], fetch })
  expect(urls.slice(0, 3)).toEqual([
    "GET https://one.test/a me",
    "GET https://two.test/b -",
    "GET https://one.test/out me",
  ])
})

it("refuses a response that is too long", async () => {
  const { fetch } = asked({ "https://one.test/a": () => new Response("x".repeat(11)) })
  await withImports(async (call) => {
    expect(await call("host_network_fetch", { url: "https://one.test/a" })).toMatchObject({
      ok: false,
      error: "network: the response is longer than 10 bytes",
    })
  }, { origins: ["https://one.test"], fetch, maxBodyBytes: 10 })
})

it("refuses a body that is too long, in bytes", async () => {
  const { fetch, urls } = asked({ "https://one.test/a": () => new Response("there") })
  await withImports(async (call) => {
    const post = (body: string) => call("host_network_fetch", { url: "https://one.test/a", method: "POST", body })
    expect(await post("äöüäö")).toMatchObject({ ok: true, body: "there" })
    expect(await post("äöüäöx")).toMatchObject({ ok: false, error: "network: the body is longer than 10 bytes" })
  }, { origins: ["https://one.test"], fetch, maxBodyBytes: 10 })
  expect(urls).toHaveLength(1)
})

it("fails when a response does not arrive in time", async () => {
  const fetch = (request: Request) =>
    new Promise<Response>((_, reject) => {
      request.signal.addEventListener("abort", () => reject(request.signal.reason))
    })
  await withImports(async (call) => {
    expect(await call("host_network_fetch", { url: "https://one.test/a" })).toMatchObject({
      ok: false,
      error: "network: no response within 20 ms",
    })
  }, { origins: ["https://one.test"], fetch, timeout: 20 })
})

if (canCompileC) {
  it("pipes TypeScript and WASM programs together from a shell in C", async () => {
    const programs = Object.fromEntries(
      await Promise.all(
        ["produce", "relay", "tally", "pipeline"].map(async (name) => [name, await compileC(name)] as const),
      ),
    )
    const kernel = makeKernel({ programs: { ...programs, copy: copier(100) } })
    const shell = (...args: ReadonlyArray<string>) => run(kernel, { program: "pipeline", args: ["pipeline", ...args] })
    expect(await shell("produce", "70000", "--", "copy", "--", "relay", "--", "tally")).toMatchObject({
      exitCode: 0,
      stdout: expectedTally(70_000, 1),
      stderr: "0 0 0 0\n",
    })
    expect(await shell("produce", "--", "tally", "1000")).toMatchObject({
      exitCode: 0,
      stdout: expectedTally(1_000, 1),
      stderr: "141 0\n",
    })
    expect(await shell("produce", "--", "none")).toMatchObject({ exitCode: 127, stderr: "none: not found\n" })
    expect(kernel.processes).toBe(0)
  })

  it("starts nothing that is not allowed", async () => {
    const programs = { pipeline: await compileC("pipeline"), relay: await compileC("relay") }
    const kernel = makeKernel({ programs, allow: ["pipeline"] })
    const output = new BufferFile()
    expect(kernel.start({ program: "relay", args: ["relay"], fds: { 1: output } })).toBe(-2)
    const handle = must(kernel.start({ program: "pipeline", args: ["pipeline", "relay"], fds: { 2: output } }))
    expect((await handle.exited).exitCode).toBe(127)
    expect(output.text).toBe("relay: not found\n")
  })
}
