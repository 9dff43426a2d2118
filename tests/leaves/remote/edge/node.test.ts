/** The remote leaf in an edge isolate (workerd), against servers on Deno and on Bun. What drives them is Node. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findRuntime, type RuntimeName } from "../../../../scripts/runtimes.mjs"
import { bundle } from "../../../kernel/edge/bundle.ts"
import { heartbeat } from "../../../support/heartbeat.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))
const token = "t0ken"

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}

const config = (port: number): string =>
  `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-09-01",
      globalOutbound = "net",
    )),
    (name = "net", network = (allow = ["private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`

const children: Array<ChildProcess> = []
let folder = ""
let port = 0

const started = (program: string, args: ReadonlyArray<string>, cwd: string): ChildProcess => {
  const child = spawn(program, args, {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, SLUICE_TOKEN: token },
  })
  children.push(child)
  return child
}

const isUp = (url: string): Promise<boolean> => fetch(url).then(({ ok }) => ok, () => false)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-remote-"))
  port = await freePort()
  await writeFile(join(folder, "worker.js"), await bundle(new URL("./app.ts", import.meta.url)))
  await writeFile(join(folder, "config.capnp"), config(port))
  started(join(root, "node_modules/.bin/workerd"), ["serve", "config.capnp"], folder)
  while (!await isUp(`http://127.0.0.1:${port}/`)) await new Promise((resolve) => setTimeout(resolve, 50))
})

afterAll(async () => {
  for (const child of children) {
    child.kill(child.spawnargs[0]?.endsWith("workerd") ? "SIGKILL" : "SIGTERM")
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  }
  await rm(folder, { recursive: true, force: true })
})

const size = (path: string): Promise<number> => stat(path).then((info) => info.size, () => 0)

describe.each<{ readonly name: RuntimeName; readonly flags: ReadonlyArray<string> }>([
  { name: "deno", flags: ["run", "-A"] },
  { name: "bun", flags: [] },
])("in workerd, on a server of $name", ({ flags, name }) => {
  let url = ""

  beforeAll(async () => {
    const program = findRuntime(name, root)
    if (program === undefined) throw new Error(`${name} is not here`)
    const server = started(program, [...flags, join(root, "src/cli/main.ts"), "serve", "--port", "0"], root)
    let said = ""
    server.stdout?.on("data", (bytes) => said += String(bytes))
    while (!said.includes("\n")) await new Promise((resolve) => setTimeout(resolve, 20))
    url = said.trim().replace(/exec$/, "")
  })

  const ask = async (script: string, take?: number): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      body: JSON.stringify({ url, token, script, take }),
    })).json()

  it("runs a command without any API of a runtime", async () => {
    expect(await ask("echo out; echo err >&2")).toEqual({
      text: expect.stringContaining("out\n"),
      last: "ShellOutput",
      hosts: [],
    })
    expect(await ask("seq 1 20000")).toMatchObject({
      text: Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(""),
    })
  })

  it("has ended the command when the stream is closed early", async () => {
    const beat = join(folder, `beat-${name}`)
    await ask(`echo up; ${heartbeat(beat)}`, 1)
    const ended = await size(beat)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await size(beat)).toBe(ended)
  })

  it("gets the fault of a command", async () => {
    expect(await ask("exit 3")).toMatchObject({ last: "ShellOutput" })
    const wrong = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      body: JSON.stringify({ url, token: "no", script: "true" }),
    })
    expect(await wrong.json()).toMatchObject({ fault: "NotAllowed" })
  })
})
