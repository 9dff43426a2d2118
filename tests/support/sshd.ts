/** Real SSH servers for tests: OpenSSH's and Dropbear's, on loopback ports, with throw-away keys. */
import * as Redacted from "effect/Redacted"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SshConnectionOptions } from "../../src/leaves/ssh/mod.ts"

const sshdPath = "/usr/sbin/sshd"

/** Whether OpenSSH's server is here. */
export const hasSshd: boolean = process.platform === "linux" && existsSync(sshdPath)
/** Whether Dropbear is here. */
export const hasDropbear: boolean = process.platform === "linux" && existsSync("/usr/sbin/dropbear")

/** The user of this process. Bun has no name of it without USER. */
export const userName = (): string => execFileSync("id", ["-un"], { encoding: "utf8" }).trim()

/** A server that runs. */
export interface SshServer {
  readonly folder: string
  readonly port: number
  readonly user: string
  /** Its host key: a line of a file of public keys. */
  readonly hostKey: string
  /** The private key that it accepts. */
  readonly privateKey: Redacted.Redacted<string>
  readonly pid: number
  readonly log: () => string
  /** Options of a connection to it. */
  readonly options: (more?: Partial<SshConnectionOptions>) => SshConnectionOptions
  /** Ends the listener, and with `all` its connections. */
  readonly stop: () => void
  readonly close: () => void
}

/** A port without a listener. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("data", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
    socket.once("close", () => resolve(false))
  })

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const makeKey = (path: string, ...more: ReadonlyArray<string>): void => {
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path, ...more])
}

/** Makes a key, and returns its private part. */
export const newKey = (path: string, passphrase = ""): string => {
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-f", path])
  return readFileSync(path, "utf8")
}

const started = async (
  folder: string,
  command: (port: number) => readonly [string, ReadonlyArray<string>],
): Promise<readonly [port: number, child: ChildProcess]> => {
  for (let tries = 0; tries < 5; tries++) {
    const port = await freePort()
    const [file, args] = command(port)
    const child = spawn(file, args, { stdio: ["ignore", "ignore", "ignore"] })
    for (let round = 0; round < 400 && child.exitCode === null; round++) {
      if (await listens(port)) return [port, child]
      await pause(25)
    }
    child.kill("SIGKILL")
  }
  throw new Error(
    `the server does not listen: ${existsSync(join(folder, "log")) ? readFileSync(join(folder, "log")) : ""}`,
  )
}

/** Servers that run: a test that fails does not close its own. */
const running = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

const serverOf = (
  folder: string,
  [port, child]: readonly [number, ChildProcess],
  user: string,
): SshServer => {
  const read = (name: string): string => readFileSync(join(folder, name), "utf8").trim()
  const hostKey = read("host.pub").split(" ").slice(0, 2).join(" ")
  const privateKey = Redacted.make(`${read("client")}\n`)
  const { pid = 0 } = child
  running.add(child)
  child.once("exit", () => running.delete(child))
  return {
    folder,
    port,
    user,
    hostKey,
    privateKey,
    pid,
    log: () => existsSync(join(folder, "log")) ? read("log") : "",
    options: (more) => ({ host: "127.0.0.1", port, user, auth: { privateKey }, hostKey, ...more }),
    stop: () => void child.kill("SIGKILL"),
    close: () => {
      child.kill("SIGTERM")
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const makeFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sluice-sshd-")))
  chmodSync(folder, 0o755)
  return folder
}

/** Starts OpenSSH's server for this user, or for another one. `settings`: lines of sshd_config. */
export const startSshd = async (
  settings: ReadonlyArray<string> = [],
  user = userName(),
): Promise<SshServer> => {
  const folder = makeFolder()
  makeKey(join(folder, "host"))
  makeKey(join(folder, "client"))
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 })
  writeFileSync(join(folder, "keys"), readFileSync(join(folder, "client.pub")), { mode: 0o644 })
  // The first value of a setting counts.
  const config = [
    ...settings,
    // Start-up files of this user would run for each command.
    `SetEnv HOME=${folder}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${join(folder, "host")}`,
    `AuthorizedKeysFile ${join(folder, "keys")}`,
    "StrictModes no",
    "UsePAM no",
    "PermitRootLogin yes",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "MaxStartups 200",
    "PidFile none",
    ...(settings.some((line) => line.startsWith("Subsystem ")) ? [] : ["Subsystem sftp internal-sftp"]),
    "",
  ].join("\n")
  writeFileSync(join(folder, "config"), config)
  const arguments_ = (port: number) =>
    [sshdPath, ["-D", "-f", join(folder, "config"), "-p", String(port), "-E", join(folder, "log")]] as const
  return serverOf(folder, await started(folder, arguments_), user)
}

/** Starts Dropbear, which reads the keys of the user's home directory: only where the test may write there. */
export const startDropbear = async (user: string, home: string): Promise<SshServer> => {
  const folder = makeFolder()
  makeKey(join(folder, "host"), "-m", "PEM")
  makeKey(join(folder, "client"))
  execFileSync("dropbearconvert", ["openssh", "dropbear", join(folder, "host"), join(folder, "host.dropbear")], {
    stdio: "ignore",
  })
  mkdirSync(join(home, ".ssh"), { recursive: true, mode: 0o700 })
  writeFileSync(join(home, ".ssh", "authorized_keys"), readFileSync(join(folder, "client.pub")), { mode: 0o600 })
  const arguments_ = (port: number) =>
    ["/usr/sbin/dropbear", [
      "-F",
      "-s",
      "-r",
      join(folder, "host.dropbear"),
      "-p",
      `127.0.0.1:${port}`,
      "-P",
      join(folder, "pid"),
    ]] as const
  return serverOf(folder, await started(folder, arguments_), user)
}
