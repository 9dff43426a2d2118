import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { request } from "node:http"
import { connect } from "node:net"
import { eventually, settled } from "../../support/eventually.ts"
import { heartbeat } from "../../support/heartbeat.ts"
import { rawPost } from "../../support/rawClient.ts"
import { workshop } from "../../support/workshop.ts"
import { sluice, startSluice } from "../support.ts"

/** A server on a free port, and the address that it says. */
const serving = (env: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const server = yield* startSluice(["serve", "--port", "0", ...flags], { env })
    yield* eventually("it says where it listens", () => server.stdout().endsWith("\n"))
    return { server, url: `${server.stdout().trim()}/exec` }
  })

const post = (
  url: string,
  token: string | undefined,
  body: unknown,
  accept = "application/json",
) =>
  Effect.promise(() =>
    fetch(url, {
      method: "POST",
      headers: {
        accept,
        "content-type": "application/json",
        ...(token === undefined ? undefined : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    })
  )

/** A client that reads nothing until its socket is resumed. */
const lazyClient = (url: string, body: unknown) =>
  Effect.acquireRelease(
    Effect.promise(() => rawPost({ url, token: "t0ken", body })),
    (socket) => Effect.sync(() => socket.destroy()),
  )

const textOf = (response: Response) => Effect.promise(() => response.text())

const echo = { command: "echo", arguments: ["hello"] }

it.effect(
  "serves commands only to clients with the token of SLUICE_TOKEN",
  () =>
    Effect.gen(function* () {
      const { server, url } = yield* serving({ SLUICE_TOKEN: "t0ken" })
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/exec$/)
      expect((yield* post(url, undefined, echo)).status).toBe(401)
      expect((yield* post(url, "other", echo)).status).toBe(401)
      const response = yield* post(url, "t0ken", echo)
      expect(response.status).toBe(200)
      expect(JSON.parse(yield* textOf(response))).toMatchObject({ _tag: "ShellOutput", stdout: "hello\n", exitCode: 0 })
      const events = yield* textOf(
        yield* post(url, "t0ken", { command: "seq", arguments: ["3"] }, "application/x-ndjson"),
      )
      const tags = events.trimEnd().split("\n").map((line) => JSON.parse(line)._tag)
      expect(tags.at(-1)).toBe("ShellOutput")
      expect((yield* post(url, "t0ken", { command: "no-such-program" })).status).toBe(404)
      const page = yield* Effect.promise(() => fetch(new URL("/", url)))
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
      expect(yield* textOf(page)).toContain("<title>Sluice</title>")
      // The address that it says is the one that --url takes.
      const run = (url: string, token: string) =>
        sluice(["run", "--url", url, "--", "echo", "hi"], { env: { SLUICE_TOKEN: token } })
      const address = server.stdout().trim()
      expect(yield* run(address, "t0ken")).toMatchObject({ status: 0, stdout: "hi\n", stderr: "" })
      expect((yield* run(`${address}/exec`, "t0ken")).stderr).toContain("check the url: sluice serve prints it")
      expect((yield* run(address, "")).stderr).toContain(
        "; give a token that the server knows (token, --token-file, SLUICE_TOKEN)",
      )
      // Tools are there only for those who asked for them.
      expect((yield* post(url.replace(/exec$/, "mcp"), "t0ken", {})).status).toBe(404)
      // Where its page is, also when it has made no token.
      expect(server.stderr()).toBe(`sluice: page ${new URL("/", url)}\n`)
      server.signal("SIGTERM")
      expect(yield* server.status).toBe(0)
    }),
)

it.effect("makes a token when none is given, and prints it once", () =>
  Effect.gen(function* () {
    const { server, url } = yield* serving({ SLUICE_TOKEN: "" })
    yield* eventually("it says its token, and where its page is", () => server.stderr().includes("page"))
    const [, token, page] = /^sluice: token ([0-9a-f]{48})\nsluice: page (http:.*\/)\n$/.exec(server.stderr()) ?? []
    expect(`${page}exec`).toBe(url)
    expect(token).toBeDefined()
    expect((yield* post(url, token, echo)).status).toBe(200)
    const { server: other } = yield* serving({ SLUICE_TOKEN: "" })
    yield* eventually("the other says its token", () => other.stderr() !== "")
    expect(other.stderr()).not.toBe(server.stderr())
  }))

it.effect("prefers the token of its flag", () =>
  Effect.gen(function* () {
    const { url } = yield* serving({ SLUICE_TOKEN: "environment" }, "--token", "flag")
    expect((yield* post(url, "flag", echo)).status).toBe(200)
    expect((yield* post(url, "environment", echo)).status).toBe(401)
  }))

it.effect("answers 404 to requests for a host that is not known, unless it was named", () =>
  Effect.gen(function* () {
    const statusOf = (url: string, host: string) =>
      Effect.promise(() =>
        new Promise<number | undefined>((resolve, reject) => {
          const { hostname, port } = new URL(url)
          const headers = { host, authorization: "Bearer t0ken" }
          request({ hostname, port, path: "/commands", headers }, (response) => {
            response.resume()
            resolve(response.statusCode)
          }).on("error", reject).end()
        })
      )
    const { url } = yield* serving({ SLUICE_TOKEN: "t0ken" })
    expect(yield* statusOf(url, "localhost:1")).toBe(200)
    expect(yield* statusOf(url, "evil.example")).toBe(404)
    const { url: named } = yield* serving({ SLUICE_TOKEN: "t0ken" }, "--allow-host", "evil.example")
    expect(yield* statusOf(named, "evil.example")).toBe(200)
  }))

it.effect("warns of the risks that the allowlist leaves open", () =>
  Effect.gen(function* () {
    const { server, url } = yield* serving(
      { SLUICE_TOKEN: "t0ken" },
      "--allow-command",
      "git",
      "--allow-command",
      "npm",
    )
    yield* eventually("it warns", () => server.stderr().split("\n").length > 4)
    const lines = server.stderr().split("\n").map((line) => line.replace(/(?<=repository name): .*/, ""))
    expect(lines).toEqual([
      "sluice: the allowed commands restrict nothing: a caller that may run npm can run anything, so scripts may run what these could run",
      "sluice: git runs programs that the settings of a repository name",
      "sluice: files that git apply can write determine what git, npm will run",
      `sluice: page ${new URL("/", url)}`,
      "",
    ])
  }))

it.effect("warns when other machines can reach it, and reports a port in use", () =>
  Effect.gen(function* () {
    const { server, url } = yield* serving({ SLUICE_TOKEN: "t0ken" }, "--host", "0.0.0.0")
    yield* eventually("it warns", () => server.stderr().endsWith("encrypted\n"))
    const { port } = new URL(url)
    expect(server.stderr()).toBe(
      `sluice: page ${new URL(
        "/",
        url,
      )}\nsluice: other machines can reach 0.0.0.0, and the connection is not encrypted\n`,
    )
    const second = yield* sluice(["serve", "--port", port, "--host", "0.0.0.0", "--token", "t0ken"])
    expect(second).toMatchObject({ status: 125, stdout: "" })
    expect(second.stderr).toMatch(
      new RegExp(`^sluice: cannot listen on http://0\\.0\\.0\\.0:${port}: .*; choose another with --port\\n$`),
    )
  }))

const beating = (path: string) => ({
  command: "sh",
  arguments: ["-c", `echo ready; ${heartbeat(path)}`],
})

it.effect("ends the command of a client that goes away", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const { url } = yield* serving({ SLUICE_TOKEN: "t0ken" })
    const client = yield* lazyClient(url, beating(path("heartbeat")))
    yield* eventually("it runs", () => size("heartbeat") > 3)
    client.destroy()
    const last = yield* settled(() => size("heartbeat"))
    expect(last).toBeGreaterThan(3)
  }))

it.effect("holds a command back whose client does not read", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const { url } = yield* serving({ SLUICE_TOKEN: "t0ken" })
    const script = `while :; do yes | head -c 1000000; printf . >> '${path("rounds")}'; done`
    yield* lazyClient(url, { command: "sh", arguments: ["-c", script] })
    yield* eventually("it writes", () => size("rounds") > 0)
    // A socket's buffers hold some megabytes, however long one waits.
    expect(yield* settled(() => size("rounds"), 500)).toBeLessThan(40)
  }))

it.effect("ends its commands at a signal, and sends their ends to the clients", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const { server, url } = yield* serving({ SLUICE_TOKEN: "t0ken" })
    const response = yield* post(url, "t0ken", beating(path("heartbeat")), "application/x-ndjson")
    yield* eventually("it runs", () => size("heartbeat") > 3)
    server.signal("SIGINT")
    const lines = (yield* textOf(response)).trimEnd().split("\n").map((line) => JSON.parse(line))
    expect(lines.at(-1)).toMatchObject({ _tag: "ShellFault", reason: { _tag: "Cancelled" } })
    expect(yield* server.status).toBe(0)
    const last = size("heartbeat")
    expect(yield* settled(() => size("heartbeat"))).toBe(last)
  }))

it.effect.skipIf(process.platform === "win32")("grants no grace at a second signal", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const { server, url } = yield* serving({ SLUICE_TOKEN: "t0ken" })
    const script = `trap '' TERM; ${heartbeat(path("heartbeat"))}`
    const command = { command: "sh", arguments: ["-c", script], grace: 300_000 }
    yield* lazyClient(url, command)
    yield* eventually("it runs", () => size("heartbeat") > 3)
    server.signal("SIGTERM")
    const before = size("heartbeat")
    yield* eventually("it goes on beating", () => size("heartbeat") > before + 5)
    server.signal("SIGTERM")
    expect(yield* server.status).toBe(143)
    const last = size("heartbeat")
    expect(yield* settled(() => size("heartbeat"))).toBe(last)
  }))

/** The status that the server at `url` gives to a request of these bytes. */
const rawStatus = (url: string, head: string) =>
  Effect.promise(() =>
    new Promise<string>((resolve, reject) => {
      let answer = ""
      const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(head))
      socket.on("data", (part) => {
        answer += part
        if (answer.includes("\r\n")) socket.destroy()
      })
      socket.on("error", reject)
      socket.on("close", () => resolve(answer.split(" ", 2)[1] ?? ""))
    })
  )

it.effect("refuses a target of another host, and a request without one host in its header", () =>
  Effect.gen(function* () {
    const { url } = yield* serving({ SLUICE_TOKEN: "t0ken" })
    const status = (line: string, ...hosts: ReadonlyArray<string>) =>
      rawStatus(url, `${[line, ...hosts.map((host) => `Host: ${host}`)].join("\r\n")}\r\n\r\n`)
    expect(yield* status("GET / HTTP/1.1", "localhost")).toBe("200")
    expect(yield* status("GET http://localhost/ HTTP/1.1", "localhost")).toBe("200")
    expect(yield* status("GET / HTTP/1.0", "localhost")).toBe("200")
    // Bun's request has the host of the header, and no trace of this one: every rule decides about the header.
    expect(yield* status("GET http://evil.example/ HTTP/1.1", "localhost")).toBe("Bun" in globalThis ? "200" : "404")
    expect(yield* status("GET http://localhost/ HTTP/1.1", "evil.example")).toBe("404")
    expect(yield* status("GET / HTTP/1.0")).toBe("404")
    expect(yield* status("GET http://localhost/ HTTP/1.0")).toBe("404")
    for (const hosts of [[], [""], ["evil.example"], ["localhost", "evil.example"], ["localhost/evil.example"]]) {
      // Some are refused by the runtime (400).
      expect([hosts, yield* status("GET / HTTP/1.1", ...hosts)]).toEqual([hosts, expect.stringMatching(/^40[04]$/)])
    }
  }))
