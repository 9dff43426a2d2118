/** The launcher: which runtime it takes, and that it is transparent. */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { root } from "../../scripts/examples.mjs"
import { nodeIsNewEnough, runtimeNames } from "../../scripts/runtimes.mjs"

/** A command line that tells what it was given, and does as it is told. */
const commandLine = `
const runtime = "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node"
const [, , what = "", ...rest] = process.argv
if (what === "tell") console.log(JSON.stringify({ runtime, rest }))
if (what === "exit") process.exit(Number(rest[0]))
if (what === "die") process.kill(process.pid, "SIGKILL")
if (what === "echo") process.stdin.pipe(process.stdout)
if (what === "wait") {
  process.on("SIGTERM", () => {
    console.log("told to end")
    process.exit(7)
  })
  setInterval(() => {}, 1000)
  console.log("ready")
}
`

let checkout = ""

beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), "sluice-launcher-"))
  await mkdir(join(checkout, "src", "cli"), { recursive: true })
  await cp(join(root, "scripts"), join(checkout, "scripts"), { recursive: true })
  await symlink(join(root, "node_modules"), join(checkout, "node_modules"), "junction")
  await writeFile(join(checkout, "package.json"), JSON.stringify({ type: "module" }))
  await writeFile(join(checkout, "src", "cli", "main.ts"), commandLine)
})

afterAll(() => rm(checkout, { recursive: true, force: true }))

const launch = (args: ReadonlyArray<string>, runtime = ""): ChildProcess =>
  spawn(process.execPath, [join(checkout, "scripts", "sluice.mjs"), ...args], {
    env: { ...process.env, SLUICE_RUNTIME: runtime },
    stdio: ["pipe", "pipe", "pipe"],
  })

interface End {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

const endOf = async (child: ChildProcess): Promise<End> => {
  const texts = { stdout: "", stderr: "" }
  child.stdout?.on("data", (part) => texts.stdout += part)
  child.stderr?.on("data", (part) => texts.stderr += part)
  const [code, signal] = await once(child, "close")
  return { code, signal, ...texts }
}

describe.each(runtimeNames)("started on %s", (name) => {
  it("passes arguments on unchanged", async () => {
    const args = ["--json", "a b", "", "$HOME", "'\"", "--", "-x"]
    const { stdout } = await endOf(launch(["tell", ...args], name))
    expect(JSON.parse(stdout)).toEqual({ runtime: name, rest: args })
  })

  it("ends with the exit code of the command line, and writes nothing of its own", async () => {
    expect(await endOf(launch(["exit", "75"], name))).toEqual({ code: 75, signal: null, stdout: "", stderr: "" })
  })

  it("gives it its own stdin", async () => {
    const child = launch(["echo"], name)
    child.stdin?.end("line\n")
    expect((await endOf(child)).stdout).toBe("line\n")
  })

  it.runIf(process.platform !== "win32")("ends by the signal that ended the command line", async () => {
    expect(await endOf(launch(["die"], name))).toMatchObject({ code: null, signal: "SIGKILL" })
  })

  it.runIf(process.platform !== "win32")("hands a signal on, and waits for the end", async () => {
    const child = launch(["wait"], name)
    child.stdout?.once("data", () => child.kill("SIGTERM"))
    const { code, stdout } = await endOf(child)
    expect([code, stdout]).toEqual([7, "ready\ntold to end\n"])
  })
})

describe("the choice of a runtime", () => {
  it("is Deno where nothing else is said", async () => {
    expect(JSON.parse((await endOf(launch(["tell"]))).stdout).runtime).toBe("deno")
  })

  it("refuses an unknown name, with one line that lists the known ones", async () => {
    const { code, stderr } = await endOf(launch(["tell"], "perl"))
    expect(code).toBe(125)
    expect(stderr).toBe(`sluice: SLUICE_RUNTIME is "perl"; write one of deno, bun, node\n`)
  })

  it("takes Node from 22.19 on", () => {
    const versions = ["v20.20.2", "v22.18.0", "v22.19.0", "v23.0.0", "v24.21.0"]
    expect(versions.filter(nodeIsNewEnough)).toEqual(["v22.19.0", "v23.0.0", "v24.21.0"])
  })
})
