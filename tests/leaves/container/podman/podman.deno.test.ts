/** Containers of their own, real faults, and what is left behind: nothing. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { afterAll } from "vitest"
import { Shell, ShellExec } from "@sluice/shell"
import { Container, ContainerFileSystem, ContainerShell } from "@sluice/shell/container"
import { Files } from "@sluice/shell/files"
import { findHost } from "../../../../src/host/findHost.ts"
import { hostId, hostLabel, processLabel } from "../../../../src/leaves/container/owner.ts"
import { reapContainers } from "../../../../src/leaves/container/reapContainers.ts"
import { eventually } from "../../../support/eventually.ts"
import { engineOptions, makeRootfs, podman } from "../../../support/rootfs.ts"
import { workshop } from "../../../support/workshop.ts"

const rootfs = makeRootfs()
afterAll(() => rootfs.remove())

const layer = (options: ContainerShell.ContainerShellOptions = {}): Layer.Layer<Shell> =>
  ContainerShell.layer({ ...engineOptions, rootfs: rootfs.path, warm: 0, ...options }) as Layer.Layer<Shell>

const test = (
  title: string,
  effect: Effect.Effect<unknown, unknown, Shell>,
  options?: ContainerShell.ContainerShellOptions,
) => it.live(title, () => Effect.provide(effect, layer(options)))

const sh = ShellExec.shell

/** The containers of this rootfs that there are. */
const containers = (): ReadonlyArray<string> =>
  podman("ps", "--all", "--quiet", "--no-trunc", `--filter=label=${hostLabel}`).stdout.split("\n").filter((id) => {
    return id !== "" && podman("inspect", "--format={{.Rootfs}}", id).stdout.trim() === rootfs.path
  })

const processesOf = (word: string): string => spawnSync("pgrep", ["-f", word], { encoding: "utf8" }).stdout

/** Makes a container that is no leaf's. */
const existing = (command: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const name = `sluice-test-${crypto.randomUUID()}`
      const made = ["run", "--detach", "--name", name, "--network=none", ...engineOptions.runArguments, "--rootfs"]
      podman(...made, rootfs.path, ...command.split(" "))
      return name
    }),
    (name) => Effect.sync(() => podman("rm", "--force", "--time=0", name)),
  )

describe.runIf(rootfs.canRun)("containers of podman", () => {
  test(
    "runs a script in the portable shell: each program in the container, no file here",
    Effect.gen(function* () {
      const run = (script: string) => Shell.run(sh(script, { shell: "portable", env: { WORD: "given" } }))
      const { exitCode, stdout } = yield* run(
        'cd /bin; pwd; env pwd | cat; for i in 1 2; do echo "$i$WORD" | tr 1 x; done; env | grep ^WORD=; exit 5',
      )
      expect([exitCode, stdout]).toEqual([5, "/bin\n/bin\nxgiven\n2given\nWORD=given\n"])
      const { reason } = yield* Effect.flip(run("echo x > made"))
      expect(reason).toMatchObject({ _tag: "InvalidRequest", field: "command", code: "ENOTSUP" })
    }),
  )

  test(
    "gives each command a container of its own, with the variables, directory and input of the command",
    Effect.gen(function* () {
      const output = yield* Shell.run(sh("cat; echo $SECRET; pwd; ps | grep -c .; exit 125", {
        input: "in\n",
        cwd: "/tmp",
        env: { SECRET: Redacted.make("hunter2") },
      }))
      expect([output.exitCode, output.stdout.split("\n").slice(0, 3)]).toEqual([125, ["in", "hunter2", "/tmp"]])
      for (const code of [126, 127, 255]) expect((yield* Shell.run(sh(`exit ${code}`))).exitCode).toBe(code)
      expect((yield* Effect.flip(Shell.run(ShellExec.make("nope")))).reason).toMatchObject({ _tag: "NotFound" })
    }),
  )

  test(
    "shows no variable in the list of processes of this machine",
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(Shell.run(sh("sleep 3.25", { env: { SECRET: "k3y-of-the-door" } })))
      yield* eventually("it runs", () => processesOf("sleep 3.25") !== "", 100)
      expect(processesOf("k3y-of-the-doo[r]")).toBe("")
      yield* Fiber.join(running)
    }),
  )

  test(
    "kills the tree in a container of its own at the timeout, also processes that ignore SIGTERM or left the session",
    Effect.gen(function* () {
      const script = "trap '' TERM; env -i setsid sleep 61.5 & sleep 61.5"
      const fault = yield* Effect.flip(
        Shell.run(sh(`echo up; ${script}`, { timeout: "400 millis", grace: "200 millis" })),
      )
      expect([fault.reason._tag, fault.stdout]).toEqual(["Timeout", "up\n"])
      expect([processesOf("sleep 61.[5]"), containers()]).toEqual(["", []])
    }),
  )

  test(
    "faults when the container is removed from outside, and keeps the output from before",
    Effect.gen(function* () {
      const fault = yield* Shell.exec(sh("echo before; sleep 62.5")).pipe(
        Stream.tap(() => Effect.sync(() => podman("rm", "--force", "--time=0", ...containers()))),
        Stream.runDrain,
        Effect.flip,
      )
      expect(fault).toMatchObject({ reason: { _tag: "HostLost" }, stdout: "before\n" })
      expect(processesOf("sleep 62.[5]")).toBe("")
    }),
  )

  test(
    "ends the command when the client of podman is killed, and reports the loss",
    Effect.gen(function* () {
      const fault = yield* Shell.exec(sh("echo before; sleep 63.5")).pipe(
        Stream.tap(() =>
          Effect.sync(() => {
            const clients = processesOf(`podman.*run.*${rootfs.path}`).trim().split("\n")
            expect(clients.length).toBe(1)
            process.kill(Number(clients[0]), "SIGKILL")
          })
        ),
        Stream.runDrain,
        Effect.flip,
      )
      expect(fault).toMatchObject({ reason: { _tag: "HostLost" }, stdout: "before\n" })
      expect([processesOf("sleep 63.[5]"), containers()]).toEqual(["", []])
    }),
  )

  test(
    "reports the limits of memory and of processes",
    Effect.gen(function* () {
      const memory = yield* Effect.flip(Shell.run(sh("echo a; exec tail -c 300000000 /dev/zero")))
      expect(memory).toMatchObject({ reason: { _tag: "ResourceExhausted", resource: "memory" }, stdout: "a\n" })
      // conmon leaves one where podman was started.
      expect(existsSync("oom")).toBe(false)
      const forks = "i=0; while [ $i -lt 60 ]; do sleep 2 & i=$((i + 1)); done"
      const processes = yield* Effect.flip(Shell.run(sh(forks)))
      expect(processes.reason).toMatchObject({ _tag: "ResourceExhausted", resource: "processes" })
    }),
    { limits: { memoryBytes: 50_000_000, processes: 30 } },
  )

  test(
    "lets a command see a full disk as its own error",
    Effect.gen(function* () {
      const output = yield* Shell.run(sh("dd if=/dev/zero of=/full/x bs=1000 count=1000"))
      expect([output.exitCode, output.stderr.includes("No space left")]).toEqual([1, true])
    }),
    { tmpfs: [{ target: "/full", maxBytes: 65_536 }] },
  )

  it.live("names the missing part: the engine, the image, the container", () =>
    Effect.gen(function* () {
      const fault = (options: ContainerShell.ContainerShellOptions) =>
        Effect.flip(Shell.run(ShellExec.make("true"))).pipe(
          Effect.provide(ContainerShell.layer({ engineArguments: engineOptions.engineArguments, warm: 0, ...options })),
        )
      const engine = yield* fault({ program: "/no/such/podman", image: "a" })
      expect(engine.reason).toEqual({ _tag: "NotFound", what: "engine", path: "/no/such/podman", code: "ENOENT" })
      const image = yield* fault({ image: "localhost/no-such-image:1" })
      expect(image.reason).toMatchObject({ what: "image", path: "localhost/no-such-image:1" })
      expect(image.message).toContain("podman pull localhost/no-such-image:1")
      const container = yield* fault({ container: "no-such-container" })
      expect(container.reason).toMatchObject({ what: "container", path: "no-such-container" })
      const broken = yield* fault({ rootfs: rootfs.path, runArguments: ["--no-such-option"] })
      expect(broken.message).toMatch(/unknown flag: --no-such-option.* \(EENGINE\)$/)
    }))

  it.live("runs commands in containers of an image: with its variables, folder and user, and not by its entrypoint", () =>
    Effect.gen(function* () {
      const image = `localhost/sluice-test:${crypto.randomUUID()}`
      const { write } = yield* workshop
      const archive = write("image.tar", "")
      spawnSync("tar", ["-C", rootfs.path, "-cf", archive, "."])
      const changes = ["ENV FROM_IMAGE=yes", "WORKDIR /work", 'ENTRYPOINT ["/bin/false"]', "USER 65534"]
      podman("import", ...changes.map((change) => `--change=${change}`), archive, image)
      yield* Effect.addFinalizer(() => Effect.sync(() => podman("rmi", "--force", image)))
      const options = { ...engineOptions, image, tmpfs: [{ target: "/scratch" }], warm: 0 }
      yield* Effect.gen(function* () {
        const output = yield* Shell.run(sh("cat; echo $FROM_IMAGE $OWN; pwd; id -u; touch /x /scratch/y; exit 3", {
          input: "in\n",
          env: { OWN: "own" },
        }))
        expect([output.exitCode, output.stdout]).toEqual([3, "in\nyes own\n/work\n0\n"])
        expect(output.stderr).toBe("touch: /x: Read-only file system\n")
        // Nothing is left of the last one.
        expect((yield* Shell.run(sh("ls /scratch"))).stdout).toBe("")
        const killed = yield* Effect.flip(Shell.run(sh("echo up; sleep 68.5", { timeout: "300 millis", grace: 0 })))
        expect([killed.reason._tag, killed.stdout, processesOf("sleep 68.[5]")]).toEqual(["Timeout", "up\n", ""])
        const files = ContainerFileSystem.layerOverWith({ rootPath: "/scratch" })
        const shared = Effect.provide(
          Effect.andThen(Files.write("a", "text"), Files.readText("a")),
          Layer.provide(files, Container.layer({ ...engineOptions, image, tmpfs: options.tmpfs })),
        )
        expect(yield* shared).toBe("text")
      }).pipe(Effect.provide(ContainerShell.layer({ ...options, user: "0", readOnly: true })))
      // The user of the image.
      const user = Effect.provide(Shell.run(sh("id -u")), ContainerShell.layer(options))
      expect((yield* user).stdout).toBe("65534\n")
    }).pipe(Effect.scoped))

  it.live("runs commands in a container that exists, and leaves it and its other processes alone", () =>
    Effect.gen(function* () {
      const name = yield* existing("sleep 64.5")
      const options = { engineArguments: engineOptions.engineArguments, container: name }
      yield* Effect.gen(function* () {
        yield* Effect.flip(Shell.run(sh("sleep 65.5", { timeout: "300 millis", grace: 0 })))
        expect(processesOf("sleep 65.[5]")).toBe("")
        expect((yield* Shell.run(sh("ps | grep 'sleep 64.[5]' >/dev/null"))).exitCode).toBe(0)
      }).pipe(Effect.provide(ContainerShell.layer(options)))
      expect(podman("inspect", "--format={{.State.Running}}", name).stdout.trim()).toBe("true")
    }).pipe(Effect.scoped))

  // The time is that in which the processes that were stopped might have answered.
  it.live("ends a command that has stopped all processes of a shared container, runs the next one, and leaves nothing", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        expect((yield* Shell.run(sh("echo warm"))).stdout).toBe("warm\n")
        const stop = sh("kill -STOP -1; sleep 63.5", { timeout: "300 millis", grace: "100 millis" })
        expect((yield* Effect.flip(Shell.run(stop))).reason._tag).toBe("Timeout")
        expect(processesOf("sleep 63.[5]")).toBe("")
        expect((yield* Shell.run(sh("echo next"))).stdout).toBe("next\n")
      }).pipe(Effect.provide(layer({ reuse: true, warm: 1 })))
      expect(containers()).toEqual([])
    }))

  test(
    "removes a shared container in which processes fork on after the timeout, and makes another",
    Effect.gen(function* () {
      // The first shell forks no more: one that cannot fork fails, and the command with it.
      const bomb = sh("b() { b | b & wait; sleep 64.5; }; sleep 64.5 & b & wait", { timeout: "800 millis", grace: 0 })
      const fault = yield* Effect.flip(Shell.run(bomb))
      expect([fault.reason._tag, fault.message]).toEqual(["Timeout", expect.not.stringContaining("live on")])
      // What was killed takes a moment to vanish.
      yield* eventually("none of its processes is left", () => processesOf("sleep 64.[5]") === "", 100)
      expect((yield* Shell.run(sh("echo next"))).stdout).toBe("next\n")
    }),
    { reuse: true, limits: { processes: 40 } },
  )

  test(
    "names a container that was made and is paused, with advice",
    Effect.gen(function* () {
      // A session with an input serves one command.
      yield* Shell.run(sh("cat", { input: "" }))
      const [name = ""] = containers()
      expect(podman("pause", name).status).toBe(0)
      const fault = yield* Effect.flip(Shell.run(sh("true")))
      expect(fault.reason).toMatchObject({ _tag: "NotFound", what: "container" })
      expect(fault.message).toMatch(
        /^exec: the container (\S+) is paused: "podman unpause \1" resumes it \(ENOENT\)$/,
      )
      podman("unpause", name)
      expect((yield* Shell.run(sh("echo next"))).stdout).toBe("next\n")
    }),
    { reuse: true, warm: 0 },
  )

  test(
    "stops waiting for a container that does not start a command, and removes it",
    Effect.gen(function* () {
      yield* eventually("one waits", () => containers().length === 1, 100)
      const [waiting = ""] = containers()
      expect(podman("pause", waiting).status).toBe(0)
      expect((yield* Effect.timeoutOption(Shell.run(sh("sleep 62.5")), "500 millis"))._tag).toBe("None")
      expect(containers()).not.toContain(waiting)
    }),
    { warm: 1 },
  )

  it.live.each(["own", "existing"])(
    "leaves nothing when this program is killed, in %s containers",
    (kind) =>
      Effect.gen(function* () {
        const { write } = yield* workshop
        const name = kind === "existing" ? yield* existing("sleep 69.5") : undefined
        const { engineArguments } = engineOptions
        const target = name === undefined
          ? { ...engineOptions, rootfs: rootfs.path }
          : { engineArguments, container: name }
        const options = JSON.stringify(target)
        const root = new URL("../../../../", import.meta.url).pathname
        const script = write(
          "killed.ts",
          `import { Shell, ShellExec } from "${root}mod.ts"
         import { ContainerFileSystem, ContainerShell } from "${root}src/leaves/container/mod.ts"
         import { Files } from "${root}src/leaves/files/mod.ts"
         import * as Effect from "${root}node_modules/effect/dist/Effect.js"
         import * as Layer from "${root}node_modules/effect/dist/Layer.js"
         import * as Stream from "${root}node_modules/effect/dist/Stream.js"
         const sleep = ShellExec.shell("setsid sleep 66.5 & sleep 66.5")
         const run = Effect.gen(function* () {
           const shell = yield* Shell
           if (${name !== undefined}) yield* Files.list("/").pipe(Stream.runDrain)
           const terminal = Stream.runDrain(shell.exec(sleep, { terminal: { cols: 80, rows: 24 } }))
           yield* Effect.all([Shell.run(sleep), terminal], { concurrency: 2 })
         })
         const files = ContainerFileSystem.layer(${JSON.stringify(target)})
         await Effect.runPromise(Effect.provide(run, Layer.merge(ContainerShell.layer(${options}), files)))`,
        )
        const program = spawn(process.execPath, ["run", "-A", "--config", `${root}deno.json`, script], {
          stdio: "ignore",
        })
        const sleepers = () => processesOf("^(sh -c )?(setsid )?sleep 66.[5]$").trim().split("\n").length
        yield* eventually("both run", () => sleepers() >= 4, 100)
        program.kill("SIGKILL")
        yield* eventually("nothing is left", () => {
          if (processesOf("sleep 66.[5]") !== "") return false
          return name === undefined
            ? containers().length === 0
            // Its first process reaps nothing: the dead stay in the list, in brackets.
            : podman("top", name, "args").stdout.split("\n").filter((args) => /^[^[]/.test(args)).join() ===
              "COMMAND,sleep 69.5 "
        }, 100)
      }).pipe(Effect.scoped),
  )

  it.live("removes the containers of dead owners at the start, and no others", () =>
    Effect.gen(function* () {
      const host = findHost()
      if (host === undefined) throw new Error("there is a host")
      const make = (owner: string, machine: string): string =>
        podman(
          "run",
          "--detach",
          "--network=none",
          `--label=${hostLabel}=${machine}`,
          `--label=${processLabel}=${owner}`,
          ...engineOptions.runArguments,
          "--rootfs",
          rootfs.path,
          "sleep",
          "67.5",
        ).stdout.trim()
      const start = host.readText(`/proc/${host.pid}/stat`)?.replace(/^.*\) /, "").split(" ")[19]
      const alive = make(`${host.pid}:${start}`, hostId(host))
      const reused = make(`${host.pid}:1`, hostId(host))
      const elsewhere = make("4194000:1", "another/machine")
      const engine = { kind: "podman", program: "podman", arguments: engineOptions.engineArguments } as const
      const removed = yield* reapContainers(host, engine)
      // Leaves of other processes on this machine remove it as well.
      yield* eventually("it is gone", () => removed.includes(reused) || !containers().includes(reused), 100)
      expect(removed).not.toContain(alive)
      expect(removed).not.toContain(elsewhere)
      expect(containers().toSorted()).toEqual([alive, elsewhere].toSorted())
      podman("rm", "--force", "--time=0", alive, elsewhere)
    }))
})
