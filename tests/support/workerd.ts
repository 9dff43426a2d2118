/** Starts an edge isolate (npm `workerd`) with a program of the tests, on a free port of this machine. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle } from "../kernel/edge/bundle.ts"

const program = fileURLToPath(new URL("../../node_modules/.bin/workerd", import.meta.url))

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

/** An edge isolate that answers requests; its app answers a GET when it is up. */
export interface Workerd {
  readonly url: string
  readonly close: () => Promise<void>
}

export const startWorkerd = async (app: URL): Promise<Workerd> => startWorker(await bundle(app))

/** Starts an isolate with the code of a module. */
export const startWorker = async (code: string): Promise<Workerd> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-edge-"))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  await writeFile(join(folder, "worker.js"), code)
  await writeFile(join(folder, "config.capnp"), config(port))
  const child = spawn(program, ["serve", "config.capnp"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
  const isUp = () => fetch(url).then(({ ok }) => ok, () => false)
  while (!await isUp()) {
    if (child.exitCode !== null) throw new Error("workerd did not start")
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    url,
    close: async () => {
      child.kill("SIGKILL")
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
      await rm(folder, { recursive: true, force: true })
    },
  }
}
