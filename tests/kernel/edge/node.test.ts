/** A sandbox in an edge isolate: workerd, started by the test. What drives it is Node; what is tried is the isolate. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, expect, it } from "vitest"
import { canCompileC, compileC } from "../../support/wasi.ts"
import { expectedTally } from "../process/support.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const programs = ["produce", "relay", "tally"] as const

/** The worker in one file; what is WASM stays a module of its own. */
const bundle = async (): Promise<string> => {
  const built = await rolldown({
    input: fileURLToPath(new URL("./app.ts", import.meta.url)),
    platform: "browser",
    external: /\.wasm$/,
    resolve: { alias: { "@sluice/shell/kernel": join(root, "src/leaves/kernel/Kernel.ts") } },
  })
  const { output } = await built.generate({ format: "esm", codeSplitting: false })
  await built.close()
  const [chunk] = output
  return chunk.code
}

const config = (port: number): string =>
  `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [
      (name = "worker.js", esModule = embed "worker.js"),
      ${programs.map((name) => `(name = "${name}.wasm", wasm = embed "${name}.wasm")`).join(",\n      ")}
    ],
    compatibilityDate = "2026-09-01"
  ))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
`

/** A port that was free just now. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}

let url = ""
let stop = (): Promise<void> => Promise.resolve()

const answers = async (): Promise<boolean> => {
  try {
    await fetch(url, { method: "POST", body: ":" })
    return true
  } catch {
    return false
  }
}

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-edge-"))
  await writeFile(join(folder, "worker.js"), await bundle())
  for (const name of programs) await writeFile(join(folder, `${name}.wasm`), await compileC(name))
  const port = await freePort()
  await writeFile(join(folder, "config.capnp"), config(port))
  const server = spawn(join(root, "node_modules/.bin/workerd"), ["serve", "config.capnp"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  })
  const said: Array<string> = []
  server.stderr.on("data", (bytes) => said.push(String(bytes)))
  const exited = once(server, "exit")
  stop = async () => {
    server.kill()
    await exited
    await rm(folder, { recursive: true, force: true })
  }
  url = `http://127.0.0.1:${port}/run`
  while (!(await answers())) {
    if (server.exitCode !== null) throw new Error(`workerd ended: ${said.join("")}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
})

afterAll(() => stop())

const post = (path: string, script: string, signal?: AbortSignal): Promise<Response> =>
  fetch(new URL(path, url), { method: "POST", body: script, ...(signal === undefined ? {} : { signal }) })

const edge: ReadonlyArray<readonly [what: string, holds: () => Promise<void>]> = [
  ["runs a script with the utilities that it brings along", async () => {
    const answer = await post("/run", "seq 1 1000 | grep 7 | sort -rn | head -2; false || echo $?; exit 3")
    expect(await answer.json()).toEqual({ exitCode: 3, stdout: "997\n987\n1\n", stderr: "" })
  }],
  ["streams through WASI programs that came as modules", async () => {
    const answer = await post("/run", "produce 3000000 4096 7 | relay | relay 1000 | tally")
    expect(await answer.json()).toEqual({ exitCode: 0, stdout: expectedTally(3_000_000, 7), stderr: "" })
  }],
  ["ends a writer without end when its reader has enough", async () => {
    const answer = await post("/run", "produce | head -c 100000 | wc -c; echo ${PIPESTATUS[0]}")
    expect(await answer.json()).toEqual({ exitCode: 0, stdout: "100000\n141\n", stderr: "" })
  }],
  ["sends output while the script runs, and ends it when the client goes away", async () => {
    const abort = new AbortController()
    const answer = await post("/stream", "yes forever", abort.signal)
    const reader = answer.body?.getReader()
    let length = 0
    while (length < 5_000_000) length += (await reader?.read())?.value?.length ?? Number.NaN
    abort.abort()
    await reader?.cancel().catch(() => {})
    // The isolate has one thread: it answers because the endless script is gone, or lets others run.
    const next = await post("/run", "echo still here")
    expect(await next.json()).toEqual({ exitCode: 0, stdout: "still here\n", stderr: "" })
  }],
]

for (const [what, holds] of canCompileC ? edge : []) it(what, holds)

if (!canCompileC) it("needs clang for its programs", () => expect(process.env["CI"]).toBeUndefined())
