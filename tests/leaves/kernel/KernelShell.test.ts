import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Shell, ShellExec, type ShellFault, type ShellOutput } from "@sluice/shell"
import { KernelShell, Sandbox } from "@sluice/shell/sandbox"
import type { Program } from "../../../src/kernel/System.ts"
import { canCompileC, compileC } from "../../support/wasi.ts"
import { eventually } from "../../support/eventually.ts"

const faultOf = (exec: ShellExec, options: KernelShell.KernelShellOptions = {}) =>
  Effect.flip(Shell.run(exec)).pipe(Effect.provide(KernelShell.layerWith(options)))

const run = (exec: ShellExec, options: KernelShell.KernelShellOptions = {}) =>
  Shell.run(exec).pipe(Effect.provide(KernelShell.layerWith(options)))

it.live("declares its capabilities", () =>
  Effect.gen(function* () {
    const { capabilities, endOrphans } = yield* Shell
    expect(capabilities).toEqual({
      leaf: "kernel",
      platform: "posix",
      groupKill: "native",
      escapees: true,
      orphans: true,
      limits: ["memoryBytes", "processes"],
      exactOrder: true,
      pty: false,
      isolated: true,
      backPressure: Reflect.has(WebAssembly, "Suspending"),
      resolvesPath: true,
    })
    expect(yield* endOrphans?.("any") ?? Effect.void).toEqual({ ended: 0, pids: [], survivors: [] })
  }).pipe(Effect.provide(KernelShell.layer)))

it.live("promises no back-pressure where WASM is not suspended", () =>
  Effect.gen(function* () {
    const { capabilities } = yield* Shell
    expect(capabilities.backPressure).toBe(false)
  }).pipe(Effect.provide(KernelShell.layerWith({ sequential: true }))))

it.live("runs programs in TypeScript as processes, with their arguments, environment and folder", () =>
  Effect.gen(function* () {
    const show: Program = (system) =>
      system.writeAll(1, new TextEncoder().encode([...system.args, system.env.get("A"), system.cwd].join(",")))
    const exec = ShellExec.make("show", ["x y"], { env: { A: "1" }, cwd: "/tmp" })
    const output = yield* run(exec, { programs: { show } })
    expect(output).toMatchObject({ exitCode: 0, stdout: "show,x y,1,/tmp", executable: "/usr/bin/show" })
  }))

it.live("limits the processes of one command together, and of no other command", () =>
  Effect.gen(function* () {
    const script = "sleep 0.05 & sleep 0.05 & sleep 0.05 & wait; echo over"
    const { limited, free } = yield* Effect.scoped(Effect.gen(function* () {
      const shell = yield* KernelShell.make(yield* Sandbox.make())
      const out = (exec: ShellExec) => Effect.map(Stream.runCollect(shell.exec(exec)), (all) => all.at(-1))
      const exec = (limits?: { readonly processes: number }) =>
        ShellExec.make(script, [], { useShell: true, streamOutput: false, ...limits && { limits } })
      return yield* Effect.all({ limited: out(exec({ processes: 3 })), free: out(exec()) }, { concurrency: 2 })
    }))
    expect(limited).toMatchObject({
      _tag: "ShellOutput",
      stderr: expect.stringContaining("fork: Resource temporarily"),
    })
    expect(free).toMatchObject({ _tag: "ShellOutput", exitCode: 0, stdout: "over\n", stderr: "" })
  }))

if (canCompileC) {
  it.live("lets an allocation of a program fail beyond the memory of its command", () =>
    Effect.gen(function* () {
      const programs = { hoard: yield* Effect.promise(() => compileC("hoard")) }
      const hoard = (script: string, memoryBytes?: number) =>
        run(
          ShellExec.make(script, [], { useShell: true, ...memoryBytes !== undefined && { limits: { memoryBytes } } }),
          { programs },
        )
      expect(yield* hoard("hoard 20")).toMatchObject({ exitCode: 0, stdout: "20 MiB\n" })
      expect(yield* hoard("hoard 20; hoard 5", 10_000_000)).toMatchObject({ exitCode: 0, stdout: "no\n5 MiB\n" })
      expect(yield* hoard("hoard 1", 100_000)).toMatchObject({ exitCode: 137, stdout: "" })
    }))
}

const refused: ReadonlyArray<
  readonly [string, ShellExec, KernelShell.KernelShellOptions, ShellFault["reason"], RegExp]
> = [
  [
    "a program that is not allowed",
    ShellExec.make("cat"),
    { allow: ["ls"] },
    { _tag: "NotAllowed", policy: "programs", value: "cat" },
    /"cat" is not among the programs that this sandbox allows \(EACCES\)$/,
  ],
  [
    "a limit for one command that it cannot enforce",
    ShellExec.make("cat", [], { limits: { memoryBytes: 1, cpuSeconds: 1 } }),
    {},
    { _tag: "InvalidRequest", field: "limits.cpuSeconds", code: "ENOTSUP" },
    /sandbox has limits of its own \(ENOTSUP\)$/,
  ],
  [
    "one process more than there may be",
    ShellExec.make("cat"),
    { limits: { maxProcesses: 0 } },
    { _tag: "ResourceExhausted", resource: "processes", code: "EAGAIN" },
    /^exec: no more processes/,
  ],
  [
    "a working directory that is a file",
    ShellExec.make("pwd", [], { cwd: "file" }),
    { files: { file: "" } },
    { _tag: "NotFound", what: "workingDirectory", path: "file", code: "ENOTDIR" },
    /Working directory is not a directory 'file' \(ENOTDIR\)$/,
  ],
  [
    "a shell that is not there",
    ShellExec.shell("true"),
    { defaultShell: "zsh" },
    { _tag: "NotFound", what: "interpreter", path: "zsh", code: "ENOENT" },
    /^exec: zsh not found in PATH \(ENOENT\)$/,
  ],
]

it.live.each(refused)("refuses %s", ([, exec, options, reason, message]) =>
  Effect.gen(function* () {
    const fault = yield* faultOf(exec, options)
    expect(fault.reason).toEqual(reason)
    expect(fault.message).toMatch(message)
  }))

it.live("fails to be built when its sandbox cannot be", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(run(ShellExec.make("true"), { files: { "/dev/null/x": "" } }))
    expect(error).toMatchObject({ _tag: "SandboxError", reason: { _tag: "FileFailed", code: "ENOTDIR" } })
  }))

it.effect("refuses options with which no command could run", () =>
  Effect.scoped(Effect.gen(function* () {
    const sandbox = yield* Sandbox.make()
    expect((yield* Effect.flip(KernelShell.make(sandbox, { maxConcurrency: 0 })))._tag).toBe("OptionError")
    const { message } = yield* Effect.flip(KernelShell.make(sandbox, { maxQueued: -1 }))
    expect(message).toMatch(/maxQueued must be a whole number from 0/)
  })))

it.live("shares files and processes with the sandbox that it is made from", () =>
  Effect.scoped(Effect.gen(function* () {
    const sandbox = yield* Sandbox.make()
    const shell = yield* KernelShell.make(sandbox)
    yield* sandbox.run("echo from the session > note; cd /tmp")
    // A command starts where the sandbox does, wherever the session has gone.
    const [chunk] = yield* Stream.runCollect(shell.exec(ShellExec.make("cat", ["note"])))
    expect(chunk).toMatchObject({ content: "from the session\n" })
    const pids: Array<number | undefined> = []
    yield* shell.exec(ShellExec.shell("sleep 60 & sleep 60"), { onSpawn: ({ pid }) => void pids.push(pid) }).pipe(
      Stream.runDrain,
      Effect.raceFirst(eventually("both sleep", () => sandbox.kernel.processes === 3)),
    )
    expect([pids.length, sandbox.kernel.processes]).toEqual([1, 0])
  })))

it.live("kills running commands when its layer is closed", () =>
  Effect.gen(function* () {
    let sandbox: Sandbox.SandboxService | undefined
    yield* Effect.scoped(Effect.gen(function* () {
      sandbox = yield* Sandbox.make()
      yield* Stream.runDrain((yield* KernelShell.make(sandbox)).exec(ShellExec.shell("sleep 60 > /dev/null 2>&1 &")))
      expect(sandbox.kernel.processes).toBe(1)
    }))
    expect(sandbox?.kernel.processes).toBe(0)
  }))

/** WASI programs of C, in pipelines with utilities and the shell. */
const wasi = Effect.promise(async () => ({
  programs: {
    produce: await compileC("produce"),
    relay: await compileC("relay"),
    tally: await compileC("tally"),
    crash: await compileC("crash"),
  },
}))

const outputs = (scripts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<ShellOutput>, unknown> =>
  Effect.flatMap(wasi, (options) =>
    Effect.forEach(scripts, (script) => Shell.run(ShellExec.shell(script)))
      .pipe(Effect.provide(KernelShell.layerWith(options))))

if (canCompileC) {
  it.live("runs WASI programs by name, and in pipelines with everything else", () =>
    Effect.gen(function* () {
      const [alone, mixed, early, looped] = yield* outputs([
        "produce 1000000 | tally",
        "produce 1000000 | cat | relay 4096 | tee copy | tally; tally < copy",
        "produce | head -c 5 | wc -c; echo ${PIPESTATUS[*]}",
        "produce 300000 | { relay; } | while read -r -N 100000 part; do echo x; done | wc -l",
      ])
      const sum = alone?.stdout ?? ""
      expect(sum).toContain("1000000")
      expect(mixed?.stdout).toBe(sum + sum)
      expect(early?.stdout.split(/\s+/).filter((word) => word !== "")).toEqual(["5", "141", "0", "0"])
      expect(looped?.exitCode).toBe(0)
    }))

  it.live(
    "ends an endless WASI program at the timeout, and when its stream is closed",
    () =>
      Effect.gen(function* () {
        const options = yield* wasi
        yield* Effect.gen(function* () {
          const fault = yield* Effect.flip(
            Shell.run(
              ShellExec.shell("produce | relay | cat > /dev/null", { timeout: "200 millis", grace: "100 millis" }),
            ),
          )
          expect(fault.reason).toEqual({ _tag: "Timeout", kind: "total", afterMillis: 200 })
          const taken = yield* Stream.runCollect(Stream.take(Shell.bytes(ShellExec.make("produce")), 3))
          expect(taken.map(({ _tag }) => _tag)).toEqual(["ShellBytes", "ShellBytes", "ShellBytes"])
        }).pipe(Effect.provide(KernelShell.layerWith(options)))
      }),
  )

  it.live("reports a crashed WASI program as ended by a signal", () =>
    Effect.gen(function* () {
      const options = yield* wasi
      const output = yield* run(ShellExec.make("crash", ["abort"]), options)
      expect([output.exitCode, output.signal]).toEqual([134, "SIGABRT"])
      expect(output.stderr).not.toBe("")
    }))
}
