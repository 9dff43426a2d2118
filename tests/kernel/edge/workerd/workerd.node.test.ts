/** A sandbox in an edge isolate: workerd, started by the test. What drives it is Node; what is tried is the isolate. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canCompileC, compileC } from "../../../support/wasi.ts"
import { bundle } from "../bundle.ts"
import { readDigests, repeatCases } from "../../sandbox/repeatable/cases.ts"
import { cases, programs } from "../scripts.ts"

const workerd = fileURLToPath(new URL("../../../../node_modules/.bin/workerd", import.meta.url))

/** Compatibility dates: what a macrotask is made of differs. */
const hosts = [
  { date: "2026-09-01", has: "setImmediate" },
  { date: "2025-10-01", has: "messages that arrive before any timer" },
] as const

const config = (ports: ReadonlyArray<number>): string => {
  const modules = [
    `(name = "worker.js", esModule = embed "worker.js")`,
    ...programs.map((name) => `(name = "${name}.wasm", wasm = embed "${name}.wasm")`),
  ]
  const services = hosts.map(({ date }) =>
    `(name = "${date}", worker = (modules = [${modules.join(", ")}], compatibilityDate = "${date}"))`
  )
  const sockets = hosts.map(({ date }, index) =>
    `(name = "${date}", address = "127.0.0.1:${ports[index]}", http = (), service = "${date}")`
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [${services.join(", ")}], sockets = [${sockets.join(", ")}]);
`
}

/** Ports that were free just now. */
const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"))
  return await Promise.all(servers.map(async (server) => {
    await once(server, "listening")
    const address = server.address()
    server.close()
    await once(server, "close")
    if (address === null || typeof address === "string") throw new Error("no port")
    return address.port
  }))
}

let ports: ReadonlyArray<number> = []
let stop = (): Promise<void> => Promise.resolve()

const post = (host: number, path: string, script: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`http://127.0.0.1:${ports[host]}/${path}`, {
    method: "POST",
    body: script,
    ...(signal === undefined ? {} : { signal }),
  })

const answers = (host: number): Promise<boolean> => post(host, "run", ":").then(({ ok }) => ok, () => false)

beforeAll(async () => {
  if (!canCompileC) return
  const folder = await mkdtemp(join(tmpdir(), "sluice-edge-"))
  await writeFile(join(folder, "worker.js"), await bundle(new URL("./app.ts", import.meta.url)))
  for (const name of programs) await writeFile(join(folder, `${name}.wasm`), await compileC(name))
  ports = await freePorts(hosts.length)
  await writeFile(join(folder, "config.capnp"), config(ports))
  const server = spawn(workerd, ["serve", "config.capnp"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
  const said: Array<string> = []
  server.stderr.on("data", (bytes) => said.push(String(bytes)))
  const exited = once(server, "exit")
  stop = async () => {
    // One whose isolate is busy for ever hears of no other signal.
    server.kill("SIGKILL")
    await exited
    await rm(folder, { recursive: true, force: true })
  }
  for (const host of hosts.keys()) {
    while (!(await answers(host))) {
      if (server.exitCode !== null) throw new Error(`workerd ended: ${said.join("")}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
})

afterAll(() => stop())

/** Whose programs never wait for anything of the host. */
const busy = ["yes > /dev/null", "yes | cat > /dev/null", "produce | relay > /dev/null", "while :; do :; done"]

const tests = (host: number): void => {
  for (const { answers, script, what } of cases) {
    it(what, async () => expect(await (await post(host, "run", script)).json()).toMatchObject(answers))
  }

  it("lets timers fire during a saturated pipeline", async () => {
    const answer = await post(host, "run", "yes | cat | head -c 200000000 | wc -c")
    expect(await answer.json()).toMatchObject({ exitCode: 0, stdout: "200000000\n", ticked: true })
  })

  it("ends programs that never wait at their timeout, or by a signal", async () => {
    await Promise.all(busy.map(async (script) => {
      expect(await (await post(host, "limited", script)).json()).toMatchObject({ failed: "Timeout", ticked: true })
    }))
    expect(await (await post(host, "killed", "yes | cat > /dev/null")).json())
      .toMatchObject({ exitCode: 143, signal: "SIGTERM", ticked: true })
  })

  it("sends output while the script runs, and ends it when the client goes away", async () => {
    const abort = new AbortController()
    const answer = await post(host, "stream", "yes forever", abort.signal)
    const reader = answer.body?.getReader()
    let length = 0
    while (length < 5_000_000) length += (await reader?.read())?.value?.length ?? Number.NaN
    abort.abort()
    await reader?.cancel().catch(() => {})
    // The isolate has one thread: it answers because the endless script is gone, or lets others run.
    expect(await (await post(host, "run", "echo still here")).json()).toMatchObject({ stdout: "still here\n" })
  })

  it("sends the requests of curl and wget that the policy allows", async () => {
    const script = `curl -sS -d x=1 https://one.test/a; wget -q -O - https://one.test/ab
      for url in https://one.test/b https://two.test/a; do curl -s $url; echo $?; done`
    expect(await (await post(host, "network", script)).json())
      .toMatchObject({ exitCode: 0, stdout: "POST /a x=1\nGET /ab \n7\n7\n", stderr: "" })
  })

  it("gives the same bytes for the same seed as Deno, Bun and Node", async () => {
    const digests: Record<string, string> = {}
    for (const [name, repeatCase] of repeatCases) {
      digests[name] = await (await post(host, "repeat", JSON.stringify(repeatCase))).text()
    }
    expect(digests).toEqual(readDigests())
  }, 240_000)

  it("fails with NotIsolable, as it has no workers", async () => {
    expect(await (await post(host, "isolated", "tally")).json()).toMatchObject({ failed: "NotIsolable" })
  })
}

if (canCompileC) {
  for (const [host, { date, has }] of hosts.entries()) describe(`workerd as of ${date}, with ${has}`, () => tests(host))
} else {
  it("needs clang for its programs", () => expect(process.env["CI"]).toBeUndefined())
}
