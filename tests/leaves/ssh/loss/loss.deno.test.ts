import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { spawn, spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ShellExec } from "@sluice/shell"
import { SshShell } from "@sluice/shell/ssh"
import { eventually, pause } from "../../../support/eventually.ts"
import { heartbeat } from "../../../support/heartbeat.ts"
import { Proxy } from "../../../support/proxy.ts"
import { hasSshd, type SshServer, startSshd } from "../../../support/sshd.ts"
import { workshop } from "../../../support/workshop.ts"

const family = fileURLToPath(new URL("../../../fixtures/family.sh", import.meta.url))
const host = fileURLToPath(new URL("./host.fixture.ts", import.meta.url))

/** Processes of a server's sessions that live: they have its folder as HOME. `without`: the start of another variable. */
const sessionsOf = (server: SshServer, without?: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")
      return variables.includes(`HOME=${server.folder}`) &&
        (without === undefined || !variables.some((each) => each.startsWith(without)))
    } catch {
      return false
    }
  })

const commandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

/** Dies only by force, as do its descendants; one has left its session, one was started with nohup. */
const members = ["child", "grandchild", "stubborn", "escapee", "orphan"]
const script = (directory: string, path: (name: string) => string): string =>
  `trap '' TERM; nohup sh -c '${heartbeat(path("nohup")).replaceAll("'", `'"'"'`)}' >/dev/null 2>&1 & ` +
  `sh '${family}' '${directory}' ${members.join(" ")}`

const makeFamily = Effect.map(workshop, ({ directory, path, size }) => {
  const all = [...members, "nohup"]
  const sizes = () => all.map((name) => size(name))
  return {
    exec: ShellExec.shell(script(directory, path), { grace: "200 millis" }),
    script: script(directory, path),
    allRun: () => sizes().every((count) => count > 2),
    /** Death is a heartbeat that has stopped. */
    dies: Effect.gen(function* () {
      const deadline = performance.now() + 60_000
      for (;;) {
        const before = sizes()
        yield* pause(300)
        if (sizes().join() === before.join()) return
        if (performance.now() > deadline) return yield* Effect.die(new Error("it lives on"))
      }
    }),
  }
})

describe.runIf(hasSshd)("a command whose connection is lost", () => {
  let server: SshServer
  beforeAll(async () => {
    server = await startSshd()
  })
  afterAll(() => server.close())

  const live = (title: string, test: () => Effect.Effect<unknown, unknown, import("effect/Scope").Scope>) =>
    it.live(title, () => Effect.scoped(test()))

  const proxied = Effect.acquireRelease(
    Effect.promise(() => Proxy.make(server.port)),
    (proxy) => Effect.promise(() => proxy.close()),
  )
  const shellAt = (port: number, more: Partial<SshShell.SshShellOptions> = {}) =>
    SshShell.make({ ...server.options(), port, grace: "200 millis", ...more })

  live(
    "is a fault with its output so far, is not repeated, and its tree dies on the server",
    () =>
      Effect.gen(function* () {
        const { path, read, write } = yield* workshop
        const proxy = yield* proxied
        const shell = yield* shellAt(proxy.port)
        const family = yield* makeFamily
        const counted = ShellExec.shell(`printf x >> '${path("starts")}'; echo so far; ${family.script}`)
        const fault = yield* shell.exec(counted).pipe(
          Stream.tap(() => Effect.andThen(eventually("it runs", family.allRun), Effect.sync(() => proxy.cut()))),
          Stream.runDrain,
          Effect.flip,
        )
        expect(fault).toMatchObject({ reason: { _tag: "HostLost", host: `127.0.0.1:${proxy.port}` } })
        expect(fault.stdout).toMatch(/^so far\n/)
        expect(fault.message).toMatch(/lost while it ran.*not repeated \(ECONNRESET\)$/)
        yield* family.dies
        // The next command connects anew.
        write("again", "")
        const [output] = yield* Stream.runCollect(
          shell.exec(ShellExec.make("cat", [path("starts")], { streamOutput: false })),
        )
        expect(output).toMatchObject({ exitCode: 0, stdout: "x" })
        expect(read("starts")).toBe("x")
      }),
  )

  live("dies when the server's own processes are killed", () =>
    Effect.gen(function* () {
      const own = yield* Effect.promise(() => startSshd())
      const shell = yield* SshShell.make({ ...own.options(), grace: "200 millis" })
      const family = yield* makeFamily
      const running = yield* Effect.forkChild(Effect.flip(Stream.runDrain(shell.exec(family.exec))))
      yield* eventually("it runs", family.allRun)
      for (const pid of readFileSync(`/proc/${own.pid}/task/${own.pid}/children`, "utf8").trim().split(" ")) {
        process.kill(Number(pid), "SIGKILL")
      }
      own.stop()
      expect(yield* Fiber.join(running)).toMatchObject({ reason: { _tag: "HostLost" } })
      yield* family.dies
      yield* eventually("nothing is left", () => sessionsOf(own).length === 0)
      const fault = yield* Effect.flip(Stream.runDrain(shell.exec(ShellExec.make("true"))))
      expect(fault).toMatchObject({ reason: { _tag: "Unknown", code: "ECONNREFUSED" } })
      expect(fault.message).toContain("nothing listens")
      own.close()
    }))

  live("is noticed after silence without an error", () =>
    Effect.gen(function* () {
      let silent = false
      const proxy = yield* Effect.promise(() => Proxy.make(server.port, () => false, () => silent))
      const shell = yield* shellAt(proxy.port, { keepAlive: "500 millis" })
      let isUp = false
      const events = shell.exec(ShellExec.shell("echo up; sleep 60")).pipe(
        Stream.tap(() => Effect.sync(() => void (isUp = true))),
      )
      const running = yield* Effect.forkChild(Effect.flip(Stream.runDrain(events)))
      yield* eventually("it is up", () => isUp)
      silent = true
      expect(yield* Fiber.join(running)).toMatchObject({ reason: { _tag: "HostLost" }, stdout: "up\n" })
      yield* Effect.promise(() => proxy.close())
    }))

  live("dies on the server when this program is killed", () =>
    Effect.gen(function* () {
      const family = yield* makeFamily
      const own = yield* Effect.promise(() => startSshd())
      const args = [host, String(own.port), own.user, own.hostKey, join(own.folder, "client"), family.script]
      const runtime = "Deno" in globalThis ? ["run", "-A"] : []
      const child = spawn(process.execPath, [...runtime, ...args], { stdio: "ignore" })
      yield* eventually("it runs", family.allRun)
      child.kill("SIGKILL")
      yield* family.dies
      yield* eventually("nothing is left", () => sessionsOf(own).length === 0)
      own.close()
    }))

  live(
    "leaves background processes of commands, and other programs of the user, alone",
    () =>
      Effect.gen(function* () {
        const { path, size } = yield* workshop
        const proxy = yield* proxied
        const shell = yield* shellAt(proxy.port)
        const left = `(${heartbeat(path("left"))}) >/dev/null 2>&1 & exit 0`
        yield* Stream.runDrain(shell.exec(ShellExec.shell(left)))
        const other = yield* Effect.forkChild(
          Stream.runDrain((yield* shellAt(server.port)).exec(ShellExec.shell(heartbeat(path("other"))))),
        )
        const running = yield* Effect.forkChild(
          Effect.flip(Stream.runDrain(shell.exec(ShellExec.shell(heartbeat(path("lost")))))),
        )
        yield* eventually("all run", () => ["left", "other", "lost"].every((name) => size(name) > 2))
        proxy.cut()
        yield* Fiber.join(running)
        yield* eventually("the lost one is dead", () => {
          const before = size("lost")
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
          return size("lost") === before
        })
        const before = [size("left"), size("other")]
        yield* eventually(
          "the others live",
          () => size("left") > (before[0] ?? 0) + 3 && size("other") > (before[1] ?? 0) + 3,
        )
        yield* Fiber.interrupt(other)
      }),
  )

  live("that is cancelled while it starts does not run", () =>
    Effect.gen(function* () {
      const own = yield* Effect.promise(() => startSshd())
      let sent = 0
      const proxy = yield* Effect.promise(() =>
        Proxy.make(own.port, (data) => {
          sent += data.length
          return false
        })
      )
      const shell = yield* SshShell.make({ ...own.options(), port: proxy.port })
      const running = () => sessionsOf(own).filter((pid) => commandLine(pid).startsWith("sleep\x00600")).length
      // sh reads them byte by byte, and may still do so when it is cancelled.
      const args = ["-c", "exec sleep 600", "x".repeat(60_000)]
      for (let millis = 0; millis < 40; millis += 2) {
        sent = 0
        const command = yield* Effect.forkChild(Stream.runDrain(shell.exec(ShellExec.make("sh", args))))
        yield* eventually("its words are sent", () => sent > 60_000, 1)
        yield* pause(millis)
        yield* Fiber.interrupt(command)
      }
      yield* pause(500)
      yield* eventually("nothing of them runs", () => running() === 0)
      yield* Effect.promise(() => proxy.close())
      own.close()
    }))

  live("leaves nothing of the leaf on the server when the leaf is closed", () =>
    Effect.gen(function* () {
      const own = yield* Effect.promise(() => startSshd())
      yield* Effect.scoped(Effect.gen(function* () {
        const shell = yield* SshShell.make(own.options())
        yield* Stream.runDrain(shell.exec(ShellExec.make("true")))
        expect(sessionsOf(own).length).toBeGreaterThan(0)
      }))
      yield* eventually("nothing is left", () => sessionsOf(own).length === 0)
      own.close()
    }))

  live(
    "dies also after the watchdog was killed, alone or before the connection",
    () =>
      Effect.gen(function* () {
        const own = yield* Effect.promise(() => startSshd())
        const shell = yield* SshShell.make({ ...own.options(), grace: "200 millis" })
        const killWatchdog = (): void => {
          // Stopped first: a part of it that sees another part die ends the trees, as for a lost connection.
          const pids = sessionsOf(own, "SLUICE_RUN=")
          for (const signal of ["-STOP", "-KILL"]) spawnSync("kill", [signal, ...pids])
        }
        const family = yield* makeFamily
        const running = yield* Effect.forkChild(Stream.runDrain(shell.exec(family.exec)))
        yield* eventually("it runs", family.allRun)
        killWatchdog()
        yield* Fiber.interrupt(running)
        yield* family.dies

        const second = yield* makeFamily
        const lost = yield* Effect.forkChild(Effect.flip(Stream.runDrain(shell.exec(second.exec))))
        yield* eventually("it runs", second.allRun)
        const before = new Set(sessionsOf(own, "SLUICE_RUN="))
        killWatchdog()
        // One that was not there before has taken its place.
        yield* eventually("another one", () => sessionsOf(own, "SLUICE_RUN=").some((pid) => !before.has(pid)))
        yield* pause(300)
        for (const pid of readFileSync(`/proc/${own.pid}/task/${own.pid}/children`, "utf8").trim().split(" ")) {
          spawnSync("kill", ["-KILL", pid])
        }
        own.stop()
        expect(yield* Fiber.join(lost)).toMatchObject({ reason: { _tag: "HostLost" } })
        yield* second.dies
        own.close()
      }),
  )
})
