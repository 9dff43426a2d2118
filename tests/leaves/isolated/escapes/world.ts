/**
 * The targets that isolated commands try to reach: files, a process, sockets, a descriptor and a terminal of their
 * host.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Words before a program that runs it as another user; root alone can. */
const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

/** The users to try: root is two. */
export const users: ReadonlyArray<"root" | "user"> = process.getuid?.() === 0 ? ["root", "user"] : ["user"]

const namespaces = ["user", "pid", "net", "mnt", "ipc", "uts", "cgroup"]

const listen = (server: Server, at: string | { readonly port: number; readonly host: string }): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(at, () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

/** A world for one user. */
export interface EscapeWorld {
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  /** Runs a program of this user, with the descriptor and the terminal of the world; resolves when it has ended. */
  readonly run: (words: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => Promise<string>
  readonly close: () => void
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** The output of a program, when it has ended. */
const outputOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    child.stdout?.on("data", (piece: Uint8Array) => void (text += String(piece)))
    child.once("error", reject)
    child.once("close", () => resolve(text))
  })

/** Makes a world. */
export const makeEscapeWorld = async (user: "root" | "user"): Promise<EscapeWorld> => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "sluice-escapes-")))
  const before = user === "user" && process.getuid?.() === 0 ? asNobody : []
  const path = (name: string): string => join(directory, name)
  chmodSync(directory, 0o777)
  for (const name of ["in", "in/app", "seen", "out", "home"]) {
    mkdirSync(path(name))
    chmodSync(path(name), 0o777)
  }
  for (const name of ["in/app/file", "seen/file", "seen/moved", "seen/target", "out/file", "out/secret"]) {
    writeFileSync(path(name), name === "out/secret" ? "secret\n" : "original\n")
    chmodSync(path(name), 0o666)
    if (before.length > 0) chownSync(path(name), 65534, 65534)
  }
  if (process.getuid?.() === 0) {
    copyFileSync("/usr/bin/id", path("seen/suid"))
    chmodSync(path("seen/suid"), 0o4755)
  }
  const [program = "", ...words] = [...before, "sleep", "300"]
  const mark = `SLUICE_VICTIM=${crypto.randomUUID()}`
  const victim = spawn(program, words, {
    stdio: "ignore",
    env: { PATH: process.env["PATH"], SLUICE_VICTIM: mark.slice(14) },
  })
  const abstract = `sluice-escape-${process.pid}-${user}`
  // Perl listens there: not every runtime can.
  const listener = spawn("perl", [
    "-e",
    'socket(S,1,1,0);bind(S,pack("Sxa*",1,shift))&&listen(S,9)&&sleep 300',
    abstract,
  ], {
    stdio: "ignore",
  })
  const web = createServer((socket) => socket.on("error", () => {}).end())
  const bus = createServer((socket) => socket.on("error", () => {}).end())
  const port = await listen(web, { port: 0, host: "127.0.0.1" })
  await listen(bus, path("out/bus"))
  chmodSync(path("out/bus"), 0o777)
  const names = createSocket("udp4")
  names.on("message", (_, { address, port }) => names.send("answer", port, address))
  await new Promise<void>((resolve) => names.bind(port, "127.0.0.1", resolve))
  const env = {
    IN: path("in"),
    SEEN: path("seen"),
    OUT: path("out"),
    VICTIM: String(victim.pid),
    MARK: mark,
    SOCKET: path("out/bus"),
    ABSTRACT: abstract,
    PORT: String(port),
    NAMESPACES: namespaces.map((name) => readlinkSync(`/proc/self/ns/${name}`)).join(" "),
  }
  return {
    directory,
    env,
    run: (words, own = {}) => {
      const line = `exec 7<${quote(path("out"))}; exec ${[...before, ...words].map(quote).join(" ")}`
      const host = spawn("script", ["-qefc", line, "/dev/null"], {
        stdio: ["ignore", "pipe", "inherit"],
        env: {
          ...process.env,
          ...own,
          HOME: path("home"),
          DENO_DIR: path("home"),
          DBUS_SESSION_BUS_ADDRESS: `unix:path=${path("out/bus")}`,
          SSH_AUTH_SOCK: path("out/bus"),
        },
      })
      return outputOf(host)
    },
    close: () => {
      for (const child of [victim, listener]) child.kill("SIGKILL")
      for (const server of [web, bus, names]) server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
