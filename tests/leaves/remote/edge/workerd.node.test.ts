/** The remote leaf in an edge isolate (workerd), against servers on Deno and on Bun. What drives them is Node. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findRuntime, type RuntimeName } from "../../../../scripts/runtimes.mjs"
import { heartbeat } from "../../../support/heartbeat.ts"
import { startWorkerd, type Workerd } from "../../../support/workerd.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))
const token = "t0ken"

const children: Array<ChildProcess> = []
let folder = ""
let edge: Workerd

const started = (program: string, args: ReadonlyArray<string>, cwd: string): ChildProcess => {
  const child = spawn(program, args, {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, SLUICE_TOKEN: token },
  })
  children.push(child)
  return child
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-remote-"))
  edge = await startWorkerd(new URL("./app.ts", import.meta.url))
})

afterAll(async () => {
  for (const child of children) {
    child.kill("SIGTERM")
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  }
  await edge.close()
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
    url = `${said.trim()}/`
  })

  const ask = async (script: string, take?: number): Promise<unknown> =>
    (await fetch(edge.url, {
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
    const wrong = await fetch(edge.url, {
      method: "POST",
      body: JSON.stringify({ url, token: "no", script: "true" }),
    })
    expect(await wrong.json()).toMatchObject({ fault: "NotAllowed" })
  })
})
