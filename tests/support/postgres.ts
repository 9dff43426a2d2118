/**
 * A real PostgreSQL server of the tests' own: in a folder of its own, on loopback, as a user without privileges.
 *
 * It is stopped when the tests of the file have run; when the process that runs the tests is killed, a helper that waits
 * for just that stops it and removes its folder.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { afterAll, beforeAll } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { PostgresJournal } from "@sluice/shell/journal/postgres"
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { postgresFolders } from "../../scripts/system.mjs"

const programs = [...postgresFolders(), ...(process.env["PATH"] ?? "").split(delimiter)]
  .find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "pg_ctl")))

/** Whether PostgreSQL is installed here. */
export const postgresIsHere: boolean = programs !== undefined

/** Whether a server can be given a certificate here. */
export const hasOpenssl: boolean = spawnSync("openssl", ["version"]).status === 0

/** The server refuses to run as root: then it runs as `postgres`, which Debian's package makes, or else as nobody. */
const lesserUser = (): { readonly name: string; readonly uid: number; readonly gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync("/etc/passwd", "utf8").split("\n").map((line) => line.split(":"))
  const [name = "nobody", , uid = "65534", gid = "65534"] = users.find(([user]) => user === "postgres") ??
    users.find(([user]) => user === "nobody") ?? []
  return { name, uid: Number(uid), gid: Number(gid) }
}

const user = lesserUser()

const asUser = (command: ReadonlyArray<string>): ReadonlyArray<string> =>
  user === undefined
    ? command
    : ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--", ...command]

interface Ran {
  readonly code: number | null
  readonly output: string
}

/** Runs a program to its end. Output is kept only where nothing is left running that would hold the pipe. */
const run = (command: ReadonlyArray<string>, cwd: string, keep: boolean): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const [program = "", ...args] = asUser(command)
    const child = spawn(program, args, { cwd, stdio: ["ignore", keep ? "pipe" : "ignore", keep ? "pipe" : "ignore"] })
    let output = ""
    child.stdout?.on("data", (part) => output += String(part))
    child.stderr?.on("data", (part) => output += String(part))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, output }))
  })

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.on("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

/** Below the ports that clients are given, so that it stays free while the server is down. */
const freePort = async (): Promise<number> => {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000)
    if (await isFree(port)) return port
  }
}

/** How to stop: without waiting for clients (`fast`), or as if it had crashed (`immediate`). */
export type StopMode = "fast" | "immediate"

const superuser = "sluice"

/** A server that runs, and may be stopped and started. */
export class Server {
  readonly #programs: string
  readonly directory: string
  readonly port: number
  readonly password: Redacted.Redacted<string>

  private constructor(programs: string, directory: string, port: number, password: string) {
    this.#programs = programs
    this.directory = directory
    this.port = port
    this.password = Redacted.make(password)
  }

  get data(): string {
    return join(this.directory, "data")
  }

  static async make(): Promise<Server> {
    for (let attempt = 1;; attempt++) {
      const server = await Server.#make()
      try {
        await server.#initialize()
        await server.start()
        return server
      } catch (error) {
        const taken = server.log.includes("could not bind")
        await server.close()
        // Another run was faster: the suites of three runtimes may run at once.
        if (!taken || attempt === 3) throw error
      }
    }
  }

  static async #make(): Promise<Server> {
    if (programs === undefined) throw new Error("PostgreSQL is not installed here")
    // Not the folder that TMPDIR says: the path of a Unix socket has at most 107 bytes.
    const directory = mkdtempSync(join(existsSync("/tmp") ? "/tmp" : tmpdir(), "sluice-pg-"))
    if (user !== undefined) chownSync(directory, user.uid, user.gid)
    const server = new Server(programs, directory, await freePort(), crypto.randomUUID())
    server.#guard()
    return server
  }

  #end: () => Promise<void> = () => Promise.resolve()

  /** Starts the helper that outlives this process: its input ends when this process does, however it ends. */
  #guard(): void {
    const script = `cat > /dev/null; "$1/pg_ctl" -D "$2/data" -m immediate -w -t 20 stop; rm -rf "$2"`
    const [program = "", ...args] = asUser(["sh", "-c", script, "sh", this.#programs, this.directory])
    const child = spawn(program, args, { cwd: "/", stdio: ["pipe", "ignore", "ignore"], detached: true })
    const gone = new Promise<void>((resolve) => child.on("close", () => resolve()))
    this.#end = () => {
      child.stdin?.end()
      return gone
    }
  }

  async #initialize(): Promise<void> {
    const secret = join(this.directory, "password")
    writeFileSync(secret, Redacted.value(this.password), { mode: 0o600 })
    if (user !== undefined) chownSync(secret, user.uid, user.gid)
    await this.#must([
      join(this.#programs, "initdb"),
      `--pgdata=${this.data}`,
      `--username=${superuser}`,
      `--pwfile=${secret}`,
      "--auth-host=scram-sha-256",
      "--auth-local=trust",
      "--encoding=UTF8",
      "--locale=C",
      "--data-checksums",
      // This is about what initdb writes; the server itself syncs as it does by default.
      "--no-sync",
    ])
    const configuration = join(this.data, "postgresql.conf")
    writeFileSync(
      configuration,
      [
        readFileSync(configuration, "utf8"),
        "listen_addresses = '127.0.0.1'",
        `port = ${this.port}`,
        `unix_socket_directories = '${this.directory}'`,
        "max_connections = 80",
        "shared_buffers = 16MB",
        "",
      ].join("\n"),
    )
  }

  async #must(command: ReadonlyArray<string>, keep = true): Promise<void> {
    const { code, output } = await run(command, this.directory, keep)
    if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${output}\n${this.log}`)
  }

  /** What the server has said. */
  get log(): string {
    const file = join(this.directory, "log")
    return existsSync(file) ? readFileSync(file, "utf8") : ""
  }

  /** Starts it, and waits until it takes connections. */
  async start(): Promise<void> {
    await this.#must(
      [join(this.#programs, "pg_ctl"), "-D", this.data, "-l", join(this.directory, "log"), "-w", "-t", "60", "start"],
      false,
    )
  }

  /** Stops it, and waits until it is gone. */
  async stop(mode: StopMode = "fast"): Promise<void> {
    await this.#must([join(this.#programs, "pg_ctl"), "-D", this.data, "-m", mode, "-w", "-t", "60", "stop"])
  }

  /** Makes a folder that the server may write; answers with its path. */
  own(directory: string, name: string): string {
    const path = join(directory, name)
    mkdirSync(path)
    if (user !== undefined) chownSync(path, user.uid, user.gid)
    return path
  }

  /** Makes a self-signed certificate that the server uses once `ssl` is on. */
  certify(): string {
    const [key, certificate] = [join(this.data, "server.key"), join(this.data, "server.crt")]
    const what = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2", "-nodes"]
    spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", ...what, "-keyout", key, "-out", certificate])
    if (user !== undefined) { for (const file of [key, certificate]) chownSync(file, user.uid, user.gid) }
    chmodSync(key, 0o600)
    return readFileSync(certificate, "utf8")
  }

  /** Takes a setting back that a test has changed with ALTER SYSTEM. */
  async reset(setting: string): Promise<void> {
    const file = join(this.data, "postgresql.auto.conf")
    const lines = readFileSync(file, "utf8").split("\n")
    writeFileSync(file, lines.filter((line) => !line.startsWith(`${setting} =`)).join("\n"))
    await this.#must([join(this.#programs, "pg_ctl"), "-D", this.data, "reload"])
  }

  /** Ends it and removes all that it wrote. */
  async close(): Promise<void> {
    await this.#end()
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 })
  }

  /** How to reach the journal in a schema. */
  options(schema: string): PostgresJournal.PostgresOptions {
    const { password, port } = this
    return { host: "127.0.0.1", port, database: "postgres", username: superuser, password, schema }
  }

  /** Asks the server as its owner, behind the back of any store. */
  query(sql: string, params: ReadonlyArray<unknown> = []): Effect.Effect<ReadonlyArray<PgConnection.Row>> {
    const { password, port } = this
    return Effect.scoped(Effect.gen(function* () {
      const connection = yield* PgConnection.make({
        host: "127.0.0.1",
        port,
        database: "postgres",
        username: superuser,
        password,
      })
      return (yield* connection.query(sql, params)).rows
    })).pipe(Effect.orDie)
  }
}

/** One server for all tests of a file; the function gives it, once the first test runs. */
export const useServer = (): () => Server => {
  let server: Server | undefined
  beforeAll(async () => {
    if (postgresIsHere) server = await Server.make()
  })
  afterAll(() => server?.close())
  return () => {
    if (server === undefined) throw new Error("the server has not started")
    return server
  }
}
